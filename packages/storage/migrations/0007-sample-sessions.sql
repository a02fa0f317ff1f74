create table samples (
  one boolean primary key default true check (one),
  stopped boolean not null default false
);
insert into samples default values;

-- Marked by what plays them, before their first event.
create table sample_sessions (
  id text primary key,
  at float8 not null,
  removed boolean not null default false
);
