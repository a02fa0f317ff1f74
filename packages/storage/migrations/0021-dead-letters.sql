-- Dead letters that were read, of workers and servers.
create table dead_letters (
  topic text not null,
  reason text not null,
  letters bigint not null,
  latest jsonb not null,
  primary key (topic, reason)
);
