-- Records that could not be stored and became dead letters, per topic partition.
alter table topic_offsets add column set_aside bigint not null default 0;
-- The latest of them: offset, reason, detail, at.
alter table topic_offsets add column latest_set_aside jsonb;
