create table page_notifications (
  name text primary key,
  -- As in the configuration, secrets included.
  entry jsonb not null,
  by text not null,
  at float8 not null
);
