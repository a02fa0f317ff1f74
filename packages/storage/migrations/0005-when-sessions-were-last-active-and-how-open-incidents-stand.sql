-- Wall clock of the latest event; what has been silent for long counts as quiet, which is for the clock and not stored.
alter table sessions add column active_at float8;
update sessions set active_at = updated_at;
alter table sessions alter column active_at set not null;
alter table incidents add column active_at float8;
update incidents i set active_at = greatest(i.detected_at, (select s.active_at from sessions s where s.id = i.session_id));
alter table incidents alter column active_at set not null;
-- Index of the session's event that the numbers are as of, and what the session says of them since the latest verdict.
alter table incidents add column event_index float8 not null default -1;
alter table incidents add column standing text;
