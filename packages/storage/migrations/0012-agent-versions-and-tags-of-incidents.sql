-- null where the events name none.
alter table incidents add column agent_version text;
alter table incidents add column tags jsonb;
