-- What is shown of a session, apart from what lists and statistics filter, sort and add up: these read a third as much.
create table session_docs as select id, doc, parts from sessions;
alter table session_docs add primary key (id);
alter table session_docs alter column doc set not null;
alter table session_docs add foreign key (id) references sessions on delete cascade;
alter table sessions drop column doc, drop column parts;
-- Rewrites the table without them, and with sessions of the same time side by side. Of an empty one, PostgreSQL would learn that
-- it is small, and then read all of it to find a session.
do $$ begin
  if exists (select from sessions) then cluster sessions using sessions_by_last; end if;
end $$;
