-- Who changed what: settings, stops, erasures.
create table audit_log (
  id text primary key,
  at float8 not null,
  -- The name and role of the login, and the address it came from.
  actor text not null,
  role text not null,
  address text,
  action text not null,
  -- What was changed, such as a scope of settings or a session.
  subject text not null,
  detail jsonb not null
);
create index audit_log_by_time on audit_log (at, id);
