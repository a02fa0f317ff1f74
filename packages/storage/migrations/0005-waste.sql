-- What a loop used that no loop before it in its session contains; nothing for limits and outages. -1: unknown.
alter table incidents add column wasted_calls float8 not null default 0;
alter table incidents add column wasted_tokens float8 not null default -1;
alter table incidents add column wasted_usd float8 not null default -1;
update incidents set wasted_calls = calls, wasted_tokens = tokens, wasted_usd = usd where kind = 'loop';
alter table deleted_totals add column unpriced bigint not null default 0;
