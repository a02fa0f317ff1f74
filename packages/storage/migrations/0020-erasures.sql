-- Erasures that have begun: a start finishes those that a stop interrupted.
create table erasures (
  id text primary key,
  doc jsonb not null
);
