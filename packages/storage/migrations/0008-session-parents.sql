-- The session that started this one as a sub-agent.
alter table sessions add column parent text;
create index sessions_by_parent on sessions (parent, started_at, id) where parent is not null;
