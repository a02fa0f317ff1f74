-- null where the events name none, and of sessions that were summed up before.
alter table sessions add column agent_version text;
alter table sessions add column tags jsonb;
