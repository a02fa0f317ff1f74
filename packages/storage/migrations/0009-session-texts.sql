-- What sessions and their incidents are found by: under part '' the title and labels, under other parts the prompts.
create table session_texts (
  session_id text not null references sessions (id) on delete cascade,
  part text not null,
  -- In lower case.
  text text not null,
  primary key (session_id, part)
);
insert into session_texts select id, '', search from sessions;
alter table sessions drop column search;
alter table sessions add column title text;
-- Without the extension, which some servers lack or reserve, the same searches read all texts.
do $$ begin
  create extension if not exists pg_trgm;
  create index session_texts_by_trigram on session_texts using gin (text gin_trgm_ops);
exception when others then
  raise notice 'pg_trgm is unavailable: %', sqlerrm;
end $$
