create table gateway_sessions (
  id text primary key,
  -- The gateway that has it in memory; null: none has.
  owner text,
  -- Hash of the settings that the state was made under.
  settings text not null,
  -- Text, since nobody but a gateway looks into it; empty until it is kept for the first time.
  state text not null,
  expires_at float8 not null
);

create table gateway_settings (
  hash text primary key,
  doc text not null,
  used_at float8 not null
);

create table gateway_answers (
  id text primary key,
  session_id text not null,
  -- Of an answer of the gateway's own: what it answered, since the model's API does not know it.
  request text,
  told text,
  at float8 not null
);
create index gateway_answers_by_time on gateway_answers (at);

create table messages (
  number bigint generated always as identity primary key,
  session_id text not null,
  at float8 not null,
  role text not null,
  doc jsonb not null
);
create index messages_by_session on messages (session_id, number);
