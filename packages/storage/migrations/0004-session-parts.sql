-- What the session counted in each part between long pauses, oldest first; null while there is one part.
alter table sessions add column parts jsonb;
