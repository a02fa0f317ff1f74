-- Lists by tag: without these, all rows are read.
create index sessions_by_tag on sessions using gin (tags jsonb_path_ops);
create index incidents_by_tag on incidents using gin (tags jsonb_path_ops);
