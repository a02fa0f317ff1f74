-- When versions of agents started to run: the start of the first session that reports one, or what a person or a pipeline posted.
create table deploys (
  id text primary key,
  agent text,
  version text not null,
  at float8 not null,
  -- Start of the latest session with it, to a day.
  last_at float8 not null,
  -- seen or posted
  source text not null,
  note text,
  by text
);
create index deploys_by_time on deploys (at);
create index deploys_by_agent on deploys (agent, at);
-- Hashed as the server hashes them, so that each version has one row.
insert into deploys (id, agent, version, at, last_at, source)
  select 'd-' || md5(coalesce(agent, '') || chr(10) || agent_version), agent, agent_version, min(started_at), max(started_at), 'seen'
  from sessions where agent_version is not null group by agent, agent_version;
