create sequence changes;

create table positions (
  topic text not null,
  partition integer not null,
  next bigint not null,
  primary key (topic, partition)
);

create table verdicts (
  id text primary key,
  incident_id text not null,
  session_id text not null,
  detector text not null,
  phase text not null,
  model text,
  agent text,
  detected_at float8 not null,
  latency_ms float8,
  doc jsonb not null
);
create index verdicts_by_time on verdicts (detected_at, id);
create index verdicts_by_incident on verdicts (incident_id);
create index verdicts_by_session on verdicts (session_id, detected_at, id);

-- Narrow, so that filtering a hundred thousand reads little; what is shown lies in incident_docs.
create table incidents (
  id text primary key,
  change bigint not null,
  group_key text not null,
  detector text not null,
  kind text not null,
  state text not null,
  action text not null,
  outcome text,
  session_id text not null,
  agent text,
  model text,
  backend text,
  tenant text,
  tool text,
  detected_at float8 not null,
  last_at float8 not null,
  count float8 not null,
  calls float8 not null,
  turns float8 not null,
  -- -1: the producer reports none. One value instead of null keeps sorting and paging to one comparison.
  tokens float8 not null,
  duration float8 not null,
  confidence float8 not null,
  latency_ms float8,
  triage text not null default 'new',
  muted_until float8,
  search text not null
);
create index incidents_by_change on incidents (change);
create index incidents_by_time on incidents (detected_at, id);
create index incidents_by_last on incidents (last_at, id);
create index incidents_by_count on incidents (count, id);
create index incidents_by_calls on incidents (calls, id);
create index incidents_by_tokens on incidents (tokens, id);
create index incidents_by_duration on incidents (duration, id);
create index incidents_by_confidence on incidents (confidence, id);
create index incidents_by_session on incidents (session_id, detected_at);
create index incidents_by_group on incidents (group_key, detected_at);
create index incidents_by_detector on incidents (detector, detected_at, id);
create index incidents_open on incidents (detected_at, id) where state = 'open';
create index incidents_judged on incidents (triage, session_id) where triage <> 'new';

create table incident_docs (
  id text primary key references incidents (id) on delete cascade,
  row jsonb not null,
  fold jsonb not null
);

-- Not tied to incidents: a decision may be read before the verdicts it is about.
create table triage (
  incident_id text primary key,
  revision integer not null,
  -- Of the revision that is in the topic; what is behind is still to be written there.
  published integer not null,
  at float8 not null,
  doc jsonb not null,
  history jsonb not null
);
create index triage_unpublished on triage (at) where published < revision;

create table sessions (
  id text primary key,
  change bigint not null,
  state text not null,
  agent text,
  model text,
  backend text,
  tenant text,
  started_at float8 not null,
  last_event_at float8 not null,
  events float8 not null,
  turns float8 not null,
  tool_calls float8 not null,
  characters float8 not null,
  tokens float8 not null,
  incidents_open float8 not null,
  incidents float8 not null,
  updated_at float8 not null,
  search text not null,
  doc jsonb not null
);
create index sessions_by_change on sessions (change);
create index sessions_by_last on sessions (last_event_at, id);
create index sessions_by_start on sessions (started_at, id);
create index sessions_by_incidents on sessions (incidents, id);
create index sessions_live on sessions (last_event_at, id) where state = 'live';

create table settings (
  scope text primary key,
  change bigint not null,
  version integer not null,
  values jsonb not null,
  updated_at float8 not null,
  updated_by text not null
);

-- What retention has taken, so that sums over all time stay true.
create table dropped (
  one boolean primary key default true check (one),
  incidents bigint not null default 0,
  since float8,
  recovered bigint not null default 0,
  ended bigint not null default 0,
  disabled bigint not null default 0,
  calls bigint not null default 0,
  tokens float8,
  last_run_at float8
);
insert into dropped default values;
