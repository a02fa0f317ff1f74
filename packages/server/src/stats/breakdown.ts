import { detectorKind } from '@loopwatch/contract';
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
import { badRequest } from '../http/problem.ts';
import { incidentConditions } from '../incidents/filter.ts';
import { Conditions, isAny } from '../storage/conditions.ts';
import { dimensionColumns, isSummedTag, TAG } from '../storage/sums.ts';
import { incidentsInRange } from './incidents-in-range.ts';
import { added, loopsFromRows, loopsFromSums, type NamedPeriod } from './loops-by-value.ts';
import { activities, activityRows, inPeriod, isAnyMore } from './session-activity.ts';

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

/** Sessions are counted once each. */
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
  /** Only if the request has a filter. */
  readonly limits?: number;
  readonly outages?: number;
} & Readonly<Record<Column | `p_${Column}`, number | null>>;
type Column = Amount | keyof typeof activities;

/** As many sessions are read one by one within a few seconds, during which the embedded database does nothing else. */
const MAX_READ_SESSIONS = 100_000;

/**
 * The cost of loops by a dimension.
 *
 * @param now wall clock, epoch ms
 * @param maxRead sessions that are read if no sums by the dimension are kept
 * @throws HttpProblem 400 if there are more
 */
export async function breakdown(
  database: Queryable,
  request: BreakdownRequest,
  now: number,
  maxRead = MAX_READ_SESSIONS,
): Promise<Breakdown> {
  const { groupBy, from, to, compare, limit } = request;
  const before = from - (to - from);
  const periods: NamedPeriod[] = [{ from, to, prefix: '' }];
  if (compare) periods.push({ from: before, to: from, prefix: 'p_' });
  const tag = tagOf(groupBy);
  const isKept = tag === undefined || (await isSummedTag(database, tag));
  if (!isKept && (await isAnyMore(database, request.filter, periods, maxRead))) {
    throw badRequest({
      parameter: 'groupBy',
      detail: `no sums are kept by this tag, and more than ${maxRead.toLocaleString('en-US')} sessions would have to be read; choose a shorter period or add a filter`,
    });
  }
  const ofTags = await dimensionOfTags(database, request.filter);
  const { sql, parameters } = statement(request, periods, now, isKept, ofTags);
  const rows = await database.query<Row>(sql, parameters);
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
    apart: await countApart(database, request, total),
  };
}

async function countApart(
  database: Queryable,
  { from, to }: BreakdownRequest,
  { limits, outages }: Row,
): Promise<Breakdown['apart']> {
  if (limits !== undefined && outages !== undefined) return { limits, outages };
  const { rows } = await incidentsInRange(database, { from, to, bucketMs: to - from });
  const sum = (kind: 'limit' | 'outage') =>
    rows.reduce((all, one) => all + (detectorKind(one.detector) === kind ? one.found : 0), 0);
  return { limits: sum('limit'), outages: sum('outage') };
}

function tagOf(dimension: BreakdownDimension): string | undefined {
  return dimension.startsWith(TAG) ? dimension.slice(TAG.length) : undefined;
}

/** The dimension whose sums are those of the sessions that a filter by tags finds; undefined if no sums tell them. */
async function dimensionOfTags(
  database: Queryable,
  { tag = [] }: IncidentFilter,
): Promise<string | undefined> {
  const [key = '', ...others] = new Set(tag.map((one) => one.slice(0, one.indexOf(':'))));
  // Sums do not tell an empty value from none.
  const isOfValues = others.length === 0 && tag.every((one) => !one.endsWith(':'));
  return tag.length > 0 && isOfValues && (await isSummedTag(database, key)) ? `${TAG}${key}` : undefined;
}

/** The filters by columns of `repeated_loops`. */
const ofRepeatedLoops = new Set<string>([
  'detector',
  'tool',
  'sessionId',
  'model',
  'agent',
  'tenant',
  'agentVersion',
  'tag',
] satisfies (keyof IncidentFilter)[]);

/** Whether a filter leaves out no loop. @param except filters that may leave some out */
function isOfAllLoops({ kind, ...filter }: IncidentFilter, except: ReadonlySet<string> = new Set()): boolean {
  return (
    Object.entries(filter).every(([name, values]) => except.has(name) || isAny(values)) &&
    (isAny(kind) || (kind.length === 1 && kind[0] === 'loop'))
  );
}

/**
 * A session counts once in each group, once in the rest and once in the total: see {@link loopsFromSums}. The groups are ranked,
 * and those beyond the limit summed. A group without loops is a group, too, if sessions have its value.
 *
 * @param isKept whether sums by the dimension are kept
 * @param ofTags as of {@link dimensionOfTags}
 */
function statement(
  { groupBy, filter, limit, sort, from, to }: BreakdownRequest,
  periods: readonly NamedPeriod[],
  now: number,
  isKept: boolean,
  ofTags: string | undefined,
): { readonly sql: string; readonly parameters: readonly unknown[] } {
  const tag = tagOf(groupBy);
  const column = dimensionColumns[groupBy as keyof typeof dimensionColumns];
  const dimension = isKept ? (tag === undefined ? column : groupBy) : undefined;
  const start = Math.min(...periods.map(({ from }) => from));
  const isSummed = dimension !== undefined && isOfAllLoops(filter);
  const { kind, ...others } = filter;
  const conditions = isSummed ? new Conditions() : incidentConditions({ ...others, from: start, to }, now);
  const { parameters } = conditions;
  const value = tag === undefined ? column : `tags ->> ${conditions.parameter(tag)}::text`;
  const loops = isSummed
    ? loopsFromSums(value, dimension, periods, parameters)
    : loopsFromRows(
        value,
        periods,
        conditions,
        `kind in (${(isAny(kind) ? ['loop'] : kind).map((one) => conditions.parameter(one)).join(', ')})`,
        isOfAllLoops(filter, ofRepeatedLoops) ? incidentConditions(others, now, parameters) : undefined,
      );
  const countOf = (one: 'limit' | 'outage') =>
    `(select count(*)::float8 from matching where kind = '${one}' and detected_at >= ${conditions.parameter(from)}::float8)`;
  const apart = isOfAllLoops(filter)
    ? ''
    : `, ${countOf('limit')} as limits, ${countOf('outage')} as outages`;
  const isOfSessions = groupBy !== 'tool' && groupBy !== 'detector';
  const each = (write: (prefix: '' | 'p_', period: number) => string) =>
    periods.map(({ prefix }, period) => write(prefix, period)).join(', ');
  const again = (prefix: '' | 'p_') =>
    added.map((name) => `sum(${prefix}${name})::float8 as ${prefix}${name}`).join(', ');
  const excess = (rows: string, by: string) =>
    `select ${by}, ${each((prefix) => `sum(greatest(${prefix}incidents - 1, 0)) as ${prefix}excess`)} from ${rows} group by 1`;
  const excessOfAll = (values: string) =>
    `select ${each((prefix) => `coalesce(sum(${prefix}excess), 0)::float8 as ${prefix}excess`)}
     from (${excess(
       `(select session_id, ${each((prefix) => `sum(${prefix}incidents) as ${prefix}incidents`)}
         from repeated ${values} group by session_id) as one`,
       'session_id',
     )}) as excesses`;
  const activity = (prefix: '' | 'p_', period: number) =>
    activityNames.map((name) => `${activities[name](inPeriod(period))} as ${prefix}${name}`).join(', ');
  const group = isOfSessions ? { value, dimension } : undefined;
  const activeRows = activityRows(filter, periods, parameters, group, ofTags);
  // Sessions have neither tool nor detector: each group is compared with all of them, and so is the total, even without groups.
  const whole = (prefix: '' | 'p_') =>
    activityNames
      .map((part) => {
        const name = `${prefix}${part}`;
        return `(${isOfSessions ? `sum(${name})` : `coalesce(min(${name}), (select ${name} from active))`})::float8 as ${name}`;
      })
      .join(', ');
  const rest = String(limit + 1);
  const by = ratios[sort.by] ?? sort.by;
  const direction = sort.descending ? 'desc nulls last' : 'asc nulls last';
  const sql = `with ${loops}, by_value as (
      select added.*, ${each(
        (prefix) => `(${prefix}incidents - coalesce(${prefix}excess, 0))::float8 as ${prefix}sessions`,
      )}
      from added left join (${excess('repeated', 'value')}) as excesses using (value)
    ), active as materialized (
      select ${isOfSessions ? `coalesce(value, '') as value, ` : ''}${each(activity)}
      from (${activeRows}) as rows ${isOfSessions ? 'group by 1 having sum(sessions) <> 0' : ''}
    ), ranked as materialized (
      select *, least(row_number() over (
        order by ${by} ${direction}, tokens desc nulls last, calls desc nulls last, incidents desc nulls last, a_sessions desc nulls last, value
      ), ${rest})::int as rank from by_value ${isOfSessions ? 'full join active using (value)' : 'cross join active'}
    ), in_all as (${excessOfAll('')}),
    in_rest as (${excessOfAll(`where value in (select value from ranked where rank = ${rest})`)})
    select rank, min(value) as value, count(*)::float8 as values, ${each(again)}, ${each(whole)},
      ${each(
        (
          prefix,
        ) => `case when grouping(rank) = 1 then sum(${prefix}incidents) - (select ${prefix}excess from in_all)
          when rank = ${rest} then sum(${prefix}incidents) - (select ${prefix}excess from in_rest)
          else sum(${prefix}sessions) end as ${prefix}sessions`,
      )}${apart}
    from ranked group by grouping sets ((rank), ())`;
  return { sql, parameters };
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
