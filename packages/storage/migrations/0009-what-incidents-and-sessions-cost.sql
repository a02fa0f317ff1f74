-- US dollars; -1 where they are not known.
alter table incidents add column usd float8 not null default -1;
alter table sessions add column usd float8 not null default -1;
alter table dropped add column usd float8;
