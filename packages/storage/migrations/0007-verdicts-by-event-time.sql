-- When the event of the verdict happened. It was detected later, much later if it is history.
alter table verdicts add column happened_at float8 not null default 0;
update verdicts set happened_at = detected_at - coalesce(latency_ms, 0);
drop index verdicts_by_time;
create index verdicts_by_time on verdicts (happened_at, id);
