import type {
  Breakdown,
  BreakdownActivity,
  BreakdownAmounts,
  BreakdownDimension,
  BreakdownSort,
  IncidentFilter,
} from '@loopwatch/contract/api';
import type { Queryable } from '@loopwatch/storage';
import type { Sorting } from '../http/parse-query.ts';
import { incidentConditions } from '../incidents/filter.ts';
import type { Conditions } from '../storage/conditions.ts';
import { wasteSums } from '../storage/waste-sql.ts';
import { activities, activityRows, inPeriod } from './session-activity.ts';

export interface BreakdownRequest {
  readonly groupBy: BreakdownDimension;
  /** Epoch ms. */
  readonly from: number;
  readonly to: number;
  /** Whether to compare with the preceding period of the same length. */
  readonly compare: boolean;
  readonly filter: IncidentFilter;
  readonly limit: number;
  readonly sort: Sorting<BreakdownSort>;
}

const columns = {
  agent: 'agent',
  model: 'model',
  tool: 'tool',
  tenant: 'tenant',
  agentVersion: 'agent_version',
  detector: 'detector',
} as const;

/** Amounts that are summed; sessions are counted once each. */
const added = ['incidents', 'calls', 'tokens', 'usd', 'unpriced'] as const;
type Amount = (typeof added)[number] | 'sessions';
/** What groups can be sorted by that no column holds. */
const ratios: Partial<Record<BreakdownSort, string>> = {
  increase: 'incidents - p_incidents',
  rate: 'coalesce(incidents, 0) / nullif(a_sessions, 0)::float8',
  share: 'usd / nullif(a_usd, 0)',
};
const activityNames = Object.keys(activities) as (keyof typeof activities)[];

/** Sums of a group; `p_`: of the preceding period. `rank`: limit + 1 for the rest, null for the total. */
type Row = {
  readonly rank: number | null;
  readonly value: string | null;
  readonly values: number;
} & Readonly<Record<Column | `p_${Column}`, number | null>>;
type Column = Amount | keyof typeof activities;

/** The cost of loops by a dimension. @param now wall clock, epoch ms */
export async function breakdown(
  database: Queryable,
  request: BreakdownRequest,
  now: number,
): Promise<Breakdown> {
  const { groupBy, from, to, compare, limit } = request;
  const before = from - (to - from);
  const filter: IncidentFilter = { kind: ['loop'], ...request.filter };
  const conditions = incidentConditions({ ...filter, from: compare ? before : from, to }, now);
  const periods = [{ from, to }, ...(compare ? [{ from: before, to: from }] : [])];
  const rows = await database.query<Row>(statement(request, conditions, periods), conditions.parameters);
  const toAmounts = (row: Row) => amountsWithChange(row, compare);
  const total = rows.find(({ rank }) => rank === null);
  const other = rows.find(({ rank }) => rank === limit + 1);
  if (total === undefined) throw new Error('An aggregate query returned no row');
  return {
    groupBy,
    from,
    to,
    previous: compare ? { from: before, to: from } : null,
    groups: rows
      .filter(({ rank }) => rank !== null && rank <= limit)
      .sort((a, b) => Number(a.rank) - Number(b.rank))
      .map((row) => ({ value: row.value === '' ? null : row.value, ...toAmounts(row) })),
    other: other === undefined ? null : { values: other.values, ...toAmounts(other) },
    total: toAmounts(total),
    apart: await countApart(database, request, now),
  };
}

async function countApart(
  database: Queryable,
  { filter, from, to }: BreakdownRequest,
  now: number,
): Promise<Breakdown['apart']> {
  const conditions = incidentConditions({ ...filter, kind: ['limit', 'outage'], from, to }, now);
  const [counts] = await database.query<Breakdown['apart']>(
    `select count(*) filter (where kind = 'limit')::float8 as limits,
       count(*) filter (where kind = 'outage')::float8 as outages from incidents ${conditions.where}`,
    conditions.parameters,
  );
  return { limits: counts?.limits ?? 0, outages: counts?.outages ?? 0 };
}

/**
 * Groups by value and session first, since a session counts once in each group, once in the rest and once in the total; then
 * ranks the groups and sums those beyond the limit. Everything but the ranking uses hashing, which is three times as fast as
 * sorting. A group without loops is a group, too, if sessions have its value.
 */
function statement(
  { groupBy, from, compare, filter, limit, sort }: BreakdownRequest,
  conditions: Conditions,
  active: readonly { readonly from: number; readonly to: number }[],
): string {
  const value = groupBy.startsWith('tag:')
    ? `tags ->> ${conditions.parameter(groupBy.slice('tag:'.length))}::text`
    : columns[groupBy as keyof typeof columns];
  const isOfSessions = groupBy !== 'tool' && groupBy !== 'detector';
  const start = compare ? `${conditions.parameter(from)}::float8` : '';
  const periods = compare ? (['', 'p_'] as const) : ([''] as const);
  const each = (write: (prefix: '' | 'p_') => string) => periods.map(write).join(', ');
  const sums = (prefix: '' | 'p_') => {
    const within = !compare ? 'true' : prefix === '' ? `detected_at >= ${start}` : `detected_at < ${start}`;
    return `count(*) filter (where ${within}) as ${prefix}incidents, ${wasteSums(within, prefix)}`;
  };
  const again = (prefix: '' | 'p_') =>
    added.map((name) => `sum(${prefix}${name})::float8 as ${prefix}${name}`).join(', ');
  const sessions = (rows: string) =>
    `select ${each((prefix) => `count(*) filter (where ${prefix}has)::float8 as ${prefix}sessions`)}
     from (select ${each((prefix) => `bool_or(${prefix}incidents > 0) as ${prefix}has`)} from ${rows}
       group by session_id) as one`;
  const activity = (prefix: '' | 'p_') => {
    const own = inPeriod(prefix === '' ? 0 : 1);
    return activityNames.map((name) => `${activities[name](own)} as ${prefix}${name}`).join(', ');
  };
  const activeRows = activityRows(filter, active, conditions.parameters, isOfSessions ? value : undefined);
  // Sessions have neither tool nor detector: each group is compared with all of them.
  const over = isOfSessions ? 'sum' : 'min';
  const whole = (prefix: '' | 'p_') =>
    activityNames
      .map((part) => {
        const name = `${prefix}${part}`;
        return `(case when grouping(rank) = 1 then (select sum(${name}) from active) else ${over}(${name}) end)::float8 as ${name}`;
      })
      .join(', ');
  const rest = String(limit + 1);
  const by = ratios[sort.by] ?? sort.by;
  const direction = sort.descending ? 'desc nulls last' : 'asc nulls last';
  return `with by_session as materialized (
      select coalesce(${value}, '') as value, session_id, ${each(sums)}
      from incidents ${conditions.where} group by 1, 2
    ), by_value as (
      select value, ${each(again)},
        ${each((prefix) => `count(*) filter (where ${prefix}incidents > 0)::float8 as ${prefix}sessions`)}
      from by_session group by value
    ), active as (
      select ${isOfSessions ? `coalesce(value, '') as value, ` : ''}${each(activity)}
      from (${activeRows}) as rows ${isOfSessions ? 'group by 1 having sum(sessions) <> 0' : ''}
    ), ranked as materialized (
      select *, least(row_number() over (
        order by ${by} ${direction}, tokens desc nulls last, calls desc nulls last, incidents desc nulls last, a_sessions desc nulls last, value
      ), ${rest})::int as rank from by_value ${isOfSessions ? 'full join active using (value)' : 'cross join active'}
    ), in_all as (${sessions('by_session')}),
    in_rest as (${sessions(`by_session where value in (select value from ranked where rank = ${rest})`)})
    select rank, min(value) as value, count(*)::float8 as values, ${each(again)}, ${each(whole)},
      ${each(
        (prefix) => `case when grouping(rank) = 1 then (select ${prefix}sessions from in_all)
          when rank = ${rest} then (select ${prefix}sessions from in_rest)
          else sum(${prefix}sessions) end as ${prefix}sessions`,
      )}
    from ranked group by grouping sets ((rank), ())`;
}

function amountsWithChange(row: Row, compare: boolean) {
  const current = amountsOf(row, '');
  if (!compare) return current;
  const previous = amountsOf(row, 'p_');
  const change = (name: Exclude<Amount, 'unpriced'>): number | null => {
    const before = previous[name];
    // Without incidents, an unknown amount is zero.
    const after = current.incidents === 0 ? 0 : current[name];
    return before === null || after === null || before === 0 ? null : (after - before) / before;
  };
  return {
    ...current,
    previous,
    change: {
      incidents: change('incidents'),
      sessions: change('sessions'),
      calls: change('calls'),
      tokens: change('tokens'),
      usd: change('usd'),
    },
  };
}

function amountsOf(row: Row, prefix: '' | 'p_'): BreakdownAmounts {
  return {
    incidents: row[`${prefix}incidents`] ?? 0,
    sessions: row[`${prefix}sessions`] ?? 0,
    calls: row[`${prefix}calls`] ?? 0,
    tokens: row[`${prefix}tokens`],
    usd: row[`${prefix}usd`],
    unpriced: row[`${prefix}unpriced`] ?? 0,
    activity: activityOf(row, prefix),
  };
}

function activityOf(row: Row, prefix: '' | 'p_'): BreakdownActivity {
  return {
    sessions: row[`${prefix}a_sessions`] ?? 0,
    calls: row[`${prefix}a_calls`] ?? 0,
    tokens: row[`${prefix}a_tokens`],
    usd: row[`${prefix}a_usd`],
    unpriced: row[`${prefix}a_unpriced`] ?? 0,
    priced: row[`${prefix}a_priced`] ?? 0,
    usdSquares: row[`${prefix}a_squares`],
  };
}
