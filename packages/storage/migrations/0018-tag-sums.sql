-- Sums by the hour for each value of a tag, as those of other dimensions: 'tag:' and its name is the dimension.

-- The first tags that were found. Of others, and of those with too many values, no sums are kept: see `limit_tags`.
create table summed_tags (
  key text primary key,
  -- Whether there are, for each value.
  is_summed boolean not null
);
-- The values of those that are summed.
create table tag_values (
  key text not null,
  value text not null,
  primary key (key, value)
);
alter table repeated_loops add column tags jsonb;

-- At most 32 tags have sums. Call after new values; returns the tags whose sums are kept.
create function keep_tags() returns text[] language sql as $$
  insert into summed_tags
  select key, true from (select distinct key from tag_values) as found where not exists (select from summed_tags s where s.key = found.key)
  order by key limit 32 - (select count(*) from summed_tags);
  delete from tag_values v where not exists (select from summed_tags s where s.key = v.key and s.is_summed);
  select array(select key from summed_tags where is_summed)
$$;

-- Tags with sums have at most 1,000 values; one that is gone does not count. Call after new values are summed.
create function limit_tags() returns void language plpgsql as $$
declare
  name text;
begin
  for name in select key from tag_values group by key having count(*) > 1000 loop
    delete from tag_values where key = name and value not in (
      select d.value from dimension_sums d where d.dimension = 'tag:' || name and d.found <> 0
    );
    if (select count(*) from tag_values where key = name) > 900 then
      update summed_tags set is_summed = false where key = name;
      delete from tag_values where key = name;
      delete from dimension_sums where dimension = 'tag:' || name;
    end if;
  end loop;
end $$;

-- Stores again which loops of these sessions are repeated. It reads all of their loops.
create or replace function repeat_loops(sessions text[]) returns void language sql as $$
  delete from repeated_loops where session_id = any (sessions);
  insert into repeated_loops
  select id, session_id, detected_at, agent, model, tool, tenant, agent_version, detector, tags
  from unnest(sessions) as s(session) cross join lateral (
    select *, count(*) over () as loops from incidents where session_id = session and kind = 'loop' offset 0
  ) as i where loops > 1
$$;

-- Statements that add the rows of `%1$s`, each with its sign: first by what many of them have in common, the columns `%2$s`, which
-- `%3$s` makes of a row, and then for each of the dimensions `%4$s`.
do $$
declare
  summed record;
  change record;
  amounts text;
  labels text := 'agent, model, tenant, agent_version';
  ofLabels text := 'values (''agent'', coalesce(agent, '''')), (''model'', coalesce(model, '''')), (''tenant'', coalesce(tenant, '''')),
    (''agent_version'', coalesce(agent_version, ''''))';
begin
  select string_agg(format('sum(c.%I)', name), ', ') into amounts from unnest(
    array['found', 'calls', 'tokens', 'tokens_known', 'usd', 'usd_known', 'unpriced', 'usd_squares']) as name;
  for summed in
    select * from (values
      ('incidents', $sql$
      select 'loop' as edge, floor(detected_at / 3600000) * 3600000 as at, %2$s, sum(sign) as found,
        sum(sign * wasted_calls::numeric) as calls, sum(sign * greatest(wasted_tokens, 0)::numeric) as tokens,
        sum(sign * (wasted_tokens >= 0)::int) as tokens_known, sum(sign * greatest(wasted_usd, 0)::numeric) as usd,
        sum(sign * (wasted_usd >= 0)::int) as usd_known, sum(sign * (wasted_tokens >= 0 and wasted_usd < 0)::int) as unpriced,
        0 as usd_squares
      from %1$s as c %3$s
      where kind = 'loop'
      group by 2, %2$s
      $sql$, labels || ', tool, detector', ofLabels || ', (''tool'', coalesce(tool, '''')), (''detector'', detector)'),
      ('sessions', $sql$
      select edge, floor(time / 3600000) * 3600000 as at, %2$s, sum(sign) as found, sum(sign * tool_calls::numeric) as calls,
        sum(sign * greatest(tokens, 0)::numeric) as tokens, sum(sign * (tokens >= 0)::int) as tokens_known,
        sum(sign * greatest(usd, 0)::numeric) as usd, sum(sign * (usd >= 0)::int) as usd_known,
        sum(sign * (tokens >= 0 and usd < 0)::int) as unpriced,
        sum(sign * greatest(usd, 0)::numeric * greatest(usd, 0)::numeric) as usd_squares
      from %1$s as c %3$s cross join lateral (values ('first', started_at), ('latest', last_event_at)) as e(edge, time)
      group by 1, 2, %2$s
      $sql$, labels, ofLabels)
    ) as s(name, statement, columns, dimensions)
  loop
    summed.statement := 'insert into dimension_sums as s
    select d.dimension, edge, at, d.value, ' || amounts || ' from (' || summed.statement || $sql$) as c
    cross join lateral (%4$s) as d(dimension, value)
    group by 1, 2, 3, 4
    having ($sql$ || amounts || $sql$) <> (0, 0, 0, 0, 0, 0, 0, 0)
    order by 1, 2, 3, 4
    on conflict (dimension, edge, at, value) do update set found = s.found + excluded.found, calls = s.calls + excluded.calls,
      tokens = s.tokens + excluded.tokens, tokens_known = s.tokens_known + excluded.tokens_known, usd = s.usd + excluded.usd,
      usd_known = s.usd_known + excluded.usd_known, unpriced = s.unpriced + excluded.unpriced,
      usd_squares = s.usd_squares + excluded.usd_squares;
      $sql$;
    for change in
      select * from (values
        -- Of a session that has repeated loops already, only the new ones are stored.
        ('insert', '(select 1 as sign, n.* from new_rows n)', 'true',
          'insert into repeated_loops
           select id, session_id, detected_at, agent, model, tool, tenant, agent_version, detector, tags from new_rows n
           where kind = ''loop'' and exists (select from repeated_loops r where r.session_id = n.session_id);',
          'select distinct session_id from new_rows n
           where kind = ''loop'' and not exists (select from repeated_loops r where r.session_id = n.session_id)'),
        ('delete', '(select -1 as sign, o.* from old_rows o)', null, '',
          'select distinct session_id from old_rows where kind = ''loop'''),
        ('update', '(select 1 as sign, n.* from new_rows n union all select -1, o.* from old_rows o)',
          'not exists (select from old_rows o where o.id = n.id and o.tags = n.tags)', '',
          'select o.session_id from old_rows o join new_rows n using (id)
           where (o.kind, o.session_id, o.detected_at, o.agent, o.model, o.tool, o.tenant, o.agent_version, o.detector, o.tags)
             is distinct from (n.kind, n.session_id, n.detected_at, n.agent, n.model, n.tool, n.tenant, n.agent_version, n.detector, n.tags)
           union select n.session_id from old_rows o join new_rows n using (id) where n.session_id <> o.session_id')
      ) as c(kind, source, are_new, added, sessions)
    loop
      execute format('create or replace function %I() returns trigger language plpgsql as %L',
        format('dimension_%s_%s', summed.name, change.kind),
        format($sql$
declare
  known text[] := array(select key from summed_tags);
  kept text[] := array(select key from summed_tags where is_summed);
  are_new boolean := false;
begin
  %s %s
  if cardinality(kept) > 0 then %s end if;
  if are_new then perform limit_tags(); end if;
  %s
  return null;
end $sql$,
          case when change.are_new is null then '' else format($sql$
  insert into tag_values
  select distinct key, value from new_rows n cross join lateral jsonb_each_text(n.tags) as t(key, value)
  where %s and (key = any (kept) or (cardinality(known) < 32 and key <> all (known)))
    and not exists (select from tag_values v where v.key = t.key and v.value = t.value);
  are_new := found;
  if are_new then kept := keep_tags(); end if;
          $sql$, change.are_new) end,
          format(summed.statement, change.source, summed.columns, '', summed.dimensions),
          format(summed.statement, change.source, 'key, value', $sql$cross join lateral (
        select key, tags ->> key from unnest(kept) as key where tags ? key
      ) as t(key, value)$sql$, 'values (''tag:'' || key, c.value)'),
          case summed.name when 'incidents' then format('%s perform repeat_loops(array(%s));', change.added, change.sessions) else '' end));
    end loop;
  end loop;
end $$;

-- Of what is stored. A sample shows which tags have too many values to be summed at all.
insert into summed_tags
select key, count(distinct value) <= 1000
from (select tags from sessions tablesample system (2) repeatable (1)) as s cross join jsonb_each_text(tags) as t(key, value)
group by key order by count(*) desc limit 32;
insert into dimension_sums
select 'tag:' || key, edge, floor(time / 3600000) * 3600000, value, count(*), sum(tool_calls::numeric),
  sum(greatest(tokens, 0)::numeric), sum((tokens >= 0)::int), sum(greatest(usd, 0)::numeric), sum((usd >= 0)::int),
  sum((tokens >= 0 and usd < 0)::int), sum(greatest(usd, 0)::numeric * greatest(usd, 0)::numeric)
from sessions cross join jsonb_each_text(tags) as t(key, value)
cross join lateral (values ('first', started_at), ('latest', last_event_at)) as e(edge, time)
where key not in (select key from summed_tags where not is_summed)
group by 1, 2, 3, 4;
insert into dimension_sums
select 'tag:' || key, 'loop', floor(detected_at / 3600000) * 3600000, value, count(*), sum(wasted_calls::numeric),
  sum(greatest(wasted_tokens, 0)::numeric), sum((wasted_tokens >= 0)::int), sum(greatest(wasted_usd, 0)::numeric),
  sum((wasted_usd >= 0)::int), sum((wasted_tokens >= 0 and wasted_usd < 0)::int), 0
from incidents cross join jsonb_each_text(tags) as t(key, value)
where kind = 'loop' and key not in (select key from summed_tags where not is_summed)
group by 1, 3, 4;
insert into tag_values select distinct substr(dimension, 5), value from dimension_sums where dimension like 'tag:%';
select keep_tags();
delete from dimension_sums where dimension like 'tag:%' and substr(dimension, 5) not in (select key from summed_tags where is_summed);
select limit_tags();
update repeated_loops r set tags = i.tags from incidents i where i.id = r.id and i.tags is not null;
