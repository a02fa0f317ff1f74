create table mutes (
  id text primary key,
  -- The cause: what is null fits anything.
  detector text,
  tool text,
  group_key text,
  agent text,
  model text,
  tenant text,
  -- null: for ever.
  until float8,
  -- What an incident may not exceed; null: there is no such limit.
  most_action integer,
  most_count float8,
  most_tokens float8,
  at float8 not null,
  doc jsonb not null,
  -- A removed one stays, so that a late record does not bring it back.
  removed boolean not null default false,
  published boolean not null default false,
  change bigint not null default nextval('changes')
);
create index mutes_by_change on mutes (change);
-- The mute that holds for the incident for longest, unless its own triage says otherwise, and until when.
alter table incidents add column mute_id text;
alter table incidents add column mute_until float8;
create index incidents_by_mute on incidents (mute_id) where mute_id is not null;
