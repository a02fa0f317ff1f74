-- The topic to which the positions belong: one that is deleted and created again has the same name, and another id.
alter table topic_offsets add column topic_id text;
