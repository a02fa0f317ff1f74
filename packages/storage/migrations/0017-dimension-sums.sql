-- Sums for breakdowns, which cannot read each loop of a month. Triggers keep them, as in the migration `sums`.

-- What loops wasted, by the hour of their detection, and what sessions did, by the hour of their first and of their latest event:
-- for each value of each dimension, such as an agent. An unknown value is ''.
create table dimension_sums (
  -- A column's name.
  dimension text not null,
  edge text not null check (edge in ('loop', 'first', 'latest')),
  at float8 not null,
  value text not null,
  -- How many loops or sessions.
  found bigint not null,
  calls numeric not null,
  tokens numeric not null,
  tokens_known bigint not null,
  usd numeric not null,
  usd_known bigint not null,
  unpriced bigint not null,
  -- Of sessions.
  usd_squares numeric not null,
  primary key (dimension, edge, at, value)
) with (fillfactor = 70);

-- The loops of sessions with more than one. A breakdown counts a session once, so it counts all loops less these repetitions.
create table repeated_loops (
  id text primary key,
  session_id text not null,
  detected_at float8 not null,
  agent text,
  model text,
  tool text,
  tenant text,
  agent_version text,
  detector text not null
);
create index repeated_loops_by_session on repeated_loops (session_id);
create index repeated_loops_by_time on repeated_loops (detected_at);

-- Stores again which loops of these sessions are repeated. It reads all of their loops.
create function repeat_loops(sessions text[]) returns void language sql as $$
  delete from repeated_loops where session_id = any (sessions);
  insert into repeated_loops
  select id, session_id, detected_at, agent, model, tool, tenant, agent_version, detector
  from unnest(sessions) as s(session) cross join lateral (
    select *, count(*) over () as loops from incidents where session_id = session and kind = 'loop' offset 0
  ) as i where loops > 1
$$;

-- Statements that add the rows of `%1$s`, each with its sign, for the dimensions `%2$s` of rows.
do $$
declare
  summed record;
  change record;
  labels text := '(''agent'', coalesce(agent, '''')), (''model'', coalesce(model, '''')), (''tenant'', coalesce(tenant, '''')),
    (''agent_version'', coalesce(agent_version, ''''))';
begin
  for summed in
    select * from (values
      ('incidents', $sql$
    insert into dimension_sums as s
    select dimension, 'loop', floor(detected_at / 3600000) * 3600000, value, sum(sign), sum(sign * wasted_calls::numeric),
      sum(sign * greatest(wasted_tokens, 0)::numeric), sum(sign * (wasted_tokens >= 0)::int),
      sum(sign * greatest(wasted_usd, 0)::numeric), sum(sign * (wasted_usd >= 0)::int),
      sum(sign * (wasted_tokens >= 0 and wasted_usd < 0)::int), 0
    from %1$s as c cross join lateral (%2$s) as d(dimension, value)
    where kind = 'loop'
    group by 1, 2, 3, 4
    having sum(sign) <> 0 or sum(sign * wasted_calls::numeric) <> 0 or sum(sign * wasted_tokens::numeric) <> 0
      or sum(sign * wasted_usd::numeric) <> 0
    order by 1, 2, 3, 4
      $sql$, 'values ' || labels || ', (''tool'', coalesce(tool, '''')), (''detector'', detector)'),
      ('sessions', $sql$
    insert into dimension_sums as s
    select dimension, edge, floor(time / 3600000) * 3600000, value, sum(sign), sum(sign * tool_calls::numeric),
      sum(sign * greatest(tokens, 0)::numeric), sum(sign * (tokens >= 0)::int), sum(sign * greatest(usd, 0)::numeric),
      sum(sign * (usd >= 0)::int), sum(sign * (tokens >= 0 and usd < 0)::int),
      sum(sign * greatest(usd, 0)::numeric * greatest(usd, 0)::numeric)
    from %1$s as c cross join lateral (%2$s) as d(dimension, value)
    cross join lateral (values ('first', started_at), ('latest', last_event_at)) as e(edge, time)
    group by 1, 2, 3, 4
    order by 1, 2, 3, 4
      $sql$, 'values ' || labels)
    ) as s(name, statement, dimensions)
  loop
    summed.statement := summed.statement || $sql$
    on conflict (dimension, edge, at, value) do update set found = s.found + excluded.found, calls = s.calls + excluded.calls,
      tokens = s.tokens + excluded.tokens, tokens_known = s.tokens_known + excluded.tokens_known, usd = s.usd + excluded.usd,
      usd_known = s.usd_known + excluded.usd_known, unpriced = s.unpriced + excluded.unpriced,
      usd_squares = s.usd_squares + excluded.usd_squares;
      $sql$;
    for change in
      select * from (values
        -- Of a session that has repeated loops already, only the new ones are stored.
        ('insert', 'new table as new_rows', '(select 1 as sign, n.* from new_rows n)',
          'insert into repeated_loops
           select id, session_id, detected_at, agent, model, tool, tenant, agent_version, detector from new_rows n
           where kind = ''loop'' and exists (select from repeated_loops r where r.session_id = n.session_id);',
          'select distinct session_id from new_rows n
           where kind = ''loop'' and not exists (select from repeated_loops r where r.session_id = n.session_id)'),
        ('delete', 'old table as old_rows', '(select -1 as sign, o.* from old_rows o)', '',
          'select distinct session_id from old_rows where kind = ''loop'''),
        ('update', 'old table as old_rows new table as new_rows',
          '(select 1 as sign, n.* from new_rows n union all select -1, o.* from old_rows o)', '',
          'select o.session_id from old_rows o join new_rows n using (id)
           where (o.kind, o.session_id, o.detected_at, o.agent, o.model, o.tool, o.tenant, o.agent_version, o.detector)
             is distinct from (n.kind, n.session_id, n.detected_at, n.agent, n.model, n.tool, n.tenant, n.agent_version, n.detector)
           union select n.session_id from old_rows o join new_rows n using (id) where n.session_id <> o.session_id')
      ) as c(kind, tables, source, added, sessions)
    loop
      execute format('create function %I() returns trigger language plpgsql as %L',
        format('dimension_%s_%s', summed.name, change.kind),
        format('begin %s %s return null; end', format(summed.statement, change.source, summed.dimensions),
          case summed.name when 'incidents' then format('%s perform repeat_loops(array(%s));', change.added, change.sessions) else '' end));
      execute format('create trigger dimensions_%1$s after %1$s on %2$I referencing %3$s for each statement execute function %4$I()',
        change.kind, summed.name, change.tables, format('dimension_%s_%s', summed.name, change.kind));
    end loop;
  end loop;
end $$;

-- Of what is stored: sums of sessions by all labels together exist already.
insert into dimension_sums
select dimension, edge, at, value, sum(sessions), sum(calls), sum(tokens), sum(tokens_known), sum(usd), sum(usd_known), sum(unpriced),
  sum(usd_squares)
from session_sums cross join lateral (values
  ('agent', agent), ('model', model), ('tenant', tenant), ('agent_version', agent_version)
) as d(dimension, value)
group by 1, 2, 3, 4;
insert into dimension_sums
select dimension, 'loop', floor(detected_at / 3600000) * 3600000, value, count(*), sum(wasted_calls::numeric),
  sum(greatest(wasted_tokens, 0)::numeric), sum((wasted_tokens >= 0)::int), sum(greatest(wasted_usd, 0)::numeric),
  sum((wasted_usd >= 0)::int), sum((wasted_tokens >= 0 and wasted_usd < 0)::int), 0
from incidents cross join lateral (values
  ('agent', coalesce(agent, '')), ('model', coalesce(model, '')), ('tool', coalesce(tool, '')), ('tenant', coalesce(tenant, '')),
  ('agent_version', coalesce(agent_version, '')), ('detector', detector)
) as d(dimension, value)
where kind = 'loop'
group by 1, 3, 4;
insert into repeated_loops
select id, session_id, detected_at, agent, model, tool, tenant, agent_version, detector
from (select *, count(*) over (partition by session_id) as loops from incidents where kind = 'loop') as i where loops > 1;
