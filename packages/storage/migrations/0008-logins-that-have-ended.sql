create table ended_sessions (
  id text primary key,
  -- When the login would have ended by itself.
  until float8 not null
);
