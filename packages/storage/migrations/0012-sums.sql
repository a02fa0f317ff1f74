-- Sums of incidents and sessions, because statistics cannot read a million rows. Triggers keep them: whatever inserts, updates
-- or deletes rows of `incidents` and `sessions` changes them in its transaction. Such a transaction holds the change lock;
-- otherwise two of them could wait for each other's sums.

-- Incidents by detector and the time of their detection.
create table incident_sums (
  -- Milliseconds: a minute or an hour.
  width float8 not null,
  -- Start of the minute or hour.
  at float8 not null,
  detector text not null,
  found bigint not null,
  -- Neither recovered, ended nor disabled yet.
  unresolved bigint not null,
  recovered bigint not null,
  ended bigint not null,
  disabled bigint not null,
  acknowledged bigint not null,
  false_positives bigint not null,
  calls numeric not null,
  tokens numeric not null,
  -- How many report tokens; the same for dollars.
  tokens_known bigint not null,
  usd numeric not null,
  usd_known bigint not null,
  unpriced bigint not null,
  primary key (width, at, detector)
) with (fillfactor = 70);

-- Incidents by latency in classes: see `latency_class`.
create table incident_latencies (
  width float8 not null,
  at float8 not null,
  class integer not null,
  incidents bigint not null,
  primary key (width, at, class)
) with (fillfactor = 70);

-- Loops by agent; '' is an unknown one.
create table agent_loops (
  width float8 not null,
  at float8 not null,
  agent text not null,
  loops bigint not null,
  primary key (width, at, agent)
) with (fillfactor = 70);

-- Sessions by the times of their first and of their latest event.
create table session_edges (
  width float8 not null,
  at float8 not null,
  started bigint not null,
  started_usd numeric not null,
  -- How many have a known price.
  started_priced bigint not null,
  ended bigint not null,
  ended_usd numeric not null,
  ended_priced bigint not null,
  primary key (width, at)
) with (fillfactor = 70);

-- What sessions did, by the hour of their first and of their latest event; an unknown label is ''.
create table session_sums (
  edge text not null check (edge in ('first', 'latest')),
  at float8 not null,
  agent text not null,
  model text not null,
  backend text not null,
  tenant text not null,
  agent_version text not null,
  sessions bigint not null,
  calls numeric not null,
  tokens numeric not null,
  tokens_known bigint not null,
  usd numeric not null,
  usd_known bigint not null,
  unpriced bigint not null,
  usd_squares numeric not null,
  primary key (edge, at, agent, model, backend, tenant, agent_version)
) with (fillfactor = 70);

-- The latency to two digits as a small integer: percentiles then need few rows and no sort.
create function latency_class(ms float8) returns integer language sql immutable as
  'select case when ms < 100 then ms::integer when ms < 1000 then 90 + (ms / 10)::integer else 180 + (ms / 100)::integer end';

-- Statements that add the rows of `%1$s`, each with its sign. They first add what is stored, and then run in one trigger for each
-- kind of change.
do $$
declare
  summed record;
  change record;
begin
  for summed in
    select * from (values
      ('incidents', $sql$
    insert into incident_sums as s
    select width, floor(detected_at / width) * width, detector, sum(sign), sum(sign * (state = 'open')::int),
      sum(sign * (outcome is not distinct from 'recovered')::int),
      sum(sign * (outcome is not distinct from 'ended')::int), sum(sign * (outcome is not distinct from 'disabled')::int),
      sum(sign * (triage = 'acknowledged')::int), sum(sign * (triage = 'false_positive')::int),
      sum(sign * wasted_calls::numeric), sum(sign * greatest(wasted_tokens, 0)::numeric), sum(sign * (wasted_tokens >= 0)::int),
      sum(sign * greatest(wasted_usd, 0)::numeric), sum(sign * (wasted_usd >= 0)::int),
      sum(sign * (wasted_tokens >= 0 and wasted_usd < 0)::int)
    from %1$s as c cross join (values (60000::float8), (3600000)) as w(width)
    group by 1, 2, 3
    order by 1, 2, 3
    on conflict (width, at, detector) do update set found = s.found + excluded.found,
      unresolved = s.unresolved + excluded.unresolved, recovered = s.recovered + excluded.recovered,
      ended = s.ended + excluded.ended, disabled = s.disabled + excluded.disabled,
      acknowledged = s.acknowledged + excluded.acknowledged, false_positives = s.false_positives + excluded.false_positives,
      calls = s.calls + excluded.calls, tokens = s.tokens + excluded.tokens, tokens_known = s.tokens_known + excluded.tokens_known,
      usd = s.usd + excluded.usd, usd_known = s.usd_known + excluded.usd_known, unpriced = s.unpriced + excluded.unpriced;
    insert into incident_latencies as s
    select width, floor(detected_at / width) * width, latency_class(latency_ms), sum(sign)
    from %1$s as c cross join (values (60000::float8), (3600000)) as w(width)
    where latency_ms is not null
    group by 1, 2, 3
    having sum(sign) <> 0
    order by 1, 2, 3
    on conflict (width, at, class) do update set incidents = s.incidents + excluded.incidents;
    insert into agent_loops as s
    select width, floor(detected_at / width) * width, coalesce(agent, ''), sum(sign)
    from %1$s as c cross join (values (60000::float8), (3600000)) as w(width)
    where kind = 'loop'
    group by 1, 2, 3
    having sum(sign) <> 0
    order by 1, 2, 3
    on conflict (width, at, agent) do update set loops = s.loops + excluded.loops;
      $sql$),
      ('sessions', $sql$
    insert into session_edges as s
    select width, floor(edge / width) * width, sum(sign * is_first), sum(sign * is_first * greatest(usd, 0)::numeric),
      sum(sign * is_first * (usd >= 0)::int), sum(sign * (1 - is_first)), sum(sign * (1 - is_first) * greatest(usd, 0)::numeric),
      sum(sign * (1 - is_first) * (usd >= 0)::int)
    from %1$s as c cross join (values (60000::float8), (3600000)) as w(width)
    cross join lateral (values (started_at, 1), (last_event_at, 0)) as e(edge, is_first)
    group by 1, 2
    order by 1, 2
    on conflict (width, at) do update set started = s.started + excluded.started, ended = s.ended + excluded.ended,
      started_usd = s.started_usd + excluded.started_usd, started_priced = s.started_priced + excluded.started_priced,
      ended_usd = s.ended_usd + excluded.ended_usd, ended_priced = s.ended_priced + excluded.ended_priced;
    insert into session_sums as s
    select edge, floor(time / 3600000) * 3600000, coalesce(agent, ''), coalesce(model, ''), coalesce(backend, ''),
      coalesce(tenant, ''), coalesce(agent_version, ''), sum(sign), sum(sign * tool_calls::numeric),
      sum(sign * greatest(tokens, 0)::numeric), sum(sign * (tokens >= 0)::int), sum(sign * greatest(usd, 0)::numeric),
      sum(sign * (usd >= 0)::int), sum(sign * (tokens >= 0 and usd < 0)::int), 
      sum(sign * greatest(usd, 0)::numeric * greatest(usd, 0)::numeric)
    from %1$s as c
    cross join lateral (values ('first', started_at), ('latest', last_event_at)) as e(edge, time)
    group by 1, 2, 3, 4, 5, 6, 7
    order by 1, 2, 3, 4, 5, 6, 7
    on conflict (edge, at, agent, model, backend, tenant, agent_version) do update set sessions = s.sessions + excluded.sessions,
      calls = s.calls + excluded.calls, tokens = s.tokens + excluded.tokens, tokens_known = s.tokens_known + excluded.tokens_known,
      usd = s.usd + excluded.usd, usd_known = s.usd_known + excluded.usd_known, unpriced = s.unpriced + excluded.unpriced,
      usd_squares = s.usd_squares + excluded.usd_squares;
      $sql$)
    ) as s(name, statements)
  loop
    execute format(summed.statements, format('(select 1 as sign, t.* from %I as t)', summed.name));
    for change in
      select * from (values
        ('insert', 'new table as new_rows', '(select 1 as sign, n.* from new_rows n)'),
        ('delete', 'old table as old_rows', '(select -1 as sign, o.* from old_rows o)'),
        ('update', 'old table as old_rows new table as new_rows',
          '(select 1 as sign, n.* from new_rows n union all select -1, o.* from old_rows o)')
      ) as c(kind, tables, source)
    loop
      execute format('create function %I() returns trigger language plpgsql as %L',
        format('sum_%s_%s', summed.name, change.kind),
        format('begin %s return null; end', format(summed.statements, change.source)));
      execute format('create trigger sums_%1$s after %1$s on %2$I referencing %3$s for each statement execute function %4$I()',
        change.kind, summed.name, change.tables, format('sum_%s_%s', summed.name, change.kind));
    end loop;
  end loop;
end $$;
