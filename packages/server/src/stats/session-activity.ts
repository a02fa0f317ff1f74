import type { IncidentFilter } from '@loopwatch/contract/api';
import type { Queryable } from '@loopwatch/storage';
import { Conditions, isAny } from '../storage/conditions.ts';
import { HOUR, summedAmounts, sumsOf } from '../storage/sums.ts';
import { cover, type Segment } from './cover.ts';
import { spendOf } from './loop-rate.ts';

interface Period {
  /** Epoch ms. */
  readonly from: number;
  readonly to: number;
}

const columns = ['sessions', ...summedAmounts] as const;
/** The same of one row of `sessions`. */
const ofSession: Readonly<Record<(typeof columns)[number], string>> = {
  sessions: '1',
  calls: exactly('tool_calls'),
  tokens: `(case when tokens > 0 then ${exactly('tokens')} else 0 end)`,
  tokens_known: '(tokens >= 0)::int',
  usd: '(case when usd > 0 then usd::numeric else 0 end)',
  usd_known: '(usd >= 0)::int',
  unpriced: '(tokens >= 0 and usd < 0)::int',
  usd_squares: '(case when usd > 0 then usd::numeric * usd::numeric else 0 end)',
};

/** The same, added up. */
const ofSessions: typeof ofSession = {
  sessions: 'count(*)',
  calls: exactSum('tool_calls', 'true'),
  tokens: exactSum('tokens', 'tokens > 0'),
  tokens_known: 'count(*) filter (where tokens >= 0)',
  usd: 'coalesce(sum(usd::numeric) filter (where usd > 0), 0)',
  usd_known: 'count(*) filter (where usd >= 0)',
  unpriced: 'count(*) filter (where tokens >= 0 and usd < 0)',
  usd_squares: 'coalesce(sum(usd::numeric * usd::numeric) filter (where usd > 0), 0)',
};

/** SQL: a column as `numeric`. By way of an integer, as most amounts are, that takes a fifth of the time. */
function exactly(column: string): string {
  return `(case when ${isWhole(column)} then ${column}::bigint::numeric else ${column}::numeric end)`;
}

/** SQL of a sum without rounding. Integers are added up in a third of the time. */
function exactSum(column: string, own: string): string {
  const sum = (type: 'bigint' | 'numeric', which: string) =>
    `coalesce(sum(${column}::${type}) filter (where ${own} and ${which}), 0)`;
  return `${sum('bigint', isWhole(column))} + ${sum('numeric', `not (${isWhole(column)})`)}`;
}

function isWhole(column: string): string {
  return `${column} = trunc(${column}) and abs(${column}) < 1e15`;
}

/** What sessions did, looping or not, as sums over the rows of {@link activityRows}. */
export const activities = {
  a_sessions: (own: string) => `sum(sessions) filter (where ${own})`,
  a_calls: (own: string) => `sum(calls) filter (where ${own})`,
  a_tokens: (own: string) => knownSum('tokens', 'tokens_known', own),
  a_usd: (own: string) => knownSum('usd', 'usd_known', own),
  a_unpriced: (own: string) => `sum(unpriced) filter (where ${own})`,
  a_priced: (own: string) => `sum(usd_known) filter (where ${own})`,
  a_squares: (own: string) => knownSum('usd_squares', 'usd_known', own),
} as const;

/** SQL of a sum over rows of stored sums; null if it is unknown for all. @param own SQL of which rows count */
export function knownSum(amount: string, count: string, own: string): string {
  return `case when sum(${count}) filter (where ${own}) > 0 then sum(${amount}) filter (where ${own}) end`;
}

/** SQL of whether a row of {@link activityRows} counts in the period with this number. */
export const inPeriod = (period: number): string => `in_${String(period)}`;

/** A group of sessions: SQL of its value, and the dimension whose sums are kept, if they are. */
interface Group {
  readonly value: string;
  readonly dimension: string | undefined;
}

/**
 * SQL of rows whose sums, each over those {@link inPeriod}, are what the sessions did that were active in each period. What a
 * filter says about incidents does not apply to them.
 *
 * @param group default: none
 * @param ofTags the dimension whose values are those of the filter by tags, if sums by it are kept
 */
export function activityRows(
  filter: IncidentFilter,
  periods: readonly Period[],
  parameters: unknown[],
  group?: Group,
  ofTags?: string,
): string {
  const select = group === undefined ? '' : `${group.value} as value, `;
  const { tag, sessionId } = filter;
  const isByTag = !isAny(tag);
  const isOfAll = isOfAllSessions({ ...filter, tag: [] });
  // Every session has one value of each dimension.
  const dimension = group === undefined ? (isByTag ? ofTags : 'agent') : group.dimension;
  if (isOfAll && dimension !== undefined && (!isByTag || dimension === ofTags)) {
    const of = new Conditions(parameters);
    of.anyOf('value', isByTag ? tag.map((one) => one.slice(one.indexOf(':') + 1)) : undefined);
    const table = sumsOf(dimension, parameters);
    const sums = { table, of, select: group && 'value, ', sessions: 'found' };
    return fromSums(filter, periods, parameters, select, sums);
  }
  // The other sums do not tell single sessions, nor tags.
  const hasSums = isAny(sessionId) && !isByTag && !isOfTag(group);
  if (!hasSums) return fromSessions(filter, periods, parameters, group);
  const sums = { table: 'session_sums', of: new Conditions(parameters), select, sessions: 'sessions' };
  sums.of.labels(filter);
  return fromSums(filter, periods, parameters, select, sums);
}

function isOfTag(group: Group | undefined): boolean {
  return group?.value.startsWith('tags') === true;
}

/** Stored sums of sessions by hour. */
interface Sums {
  /** SQL. */
  readonly table: string;
  /** Which of them to read. */
  readonly of: Conditions;
  /** SQL of the group. */
  readonly select: string | undefined;
  /** The column with the number of sessions. */
  readonly sessions: string;
}

/** All sessions whose latest event is not before a period, less those that began after it. */
function fromSums(
  filter: IncidentFilter,
  periods: readonly Period[],
  parameters: unknown[],
  group: string,
  sums: Sums,
): string {
  const select = (edge: 'first' | 'latest', sign: 1 | -1, period: number) => (segment: Segment) => {
    const isSum = segment.width > 0;
    const conditions = isSum ? sums.of.sharing() : new Conditions(parameters);
    if (isSum) conditions.add(`edge = '${edge}'`);
    else conditions.labels(filter);
    const time = isSum ? 'at' : edge === 'first' ? 'started_at' : 'last_event_at';
    conditions.between(time, segment.from, segment.to === Infinity ? undefined : segment.to);
    const amounts = columns.map((name) => {
      const stored = name === 'sessions' ? sums.sessions : name;
      return `${String(sign)} * ${isSum ? stored : ofSession[name]} as ${name}`;
    });
    const isIn = periods.map((_, one) => `${String(one === period)} as ${inPeriod(one)}`);
    return `select ${isSum ? (sums.select ?? '') : group}${[...isIn, ...amounts].join(', ')}
      from ${isSum ? sums.table : 'sessions'} ${conditions.where}`;
  };
  return periods
    .flatMap(({ from, to }, period) => [
      ...cover(from, Infinity, [HOUR]).map(select('latest', 1, period)),
      ...cover(to, Infinity, [HOUR]).map(select('first', -1, period)),
    ])
    .join(' union all ');
}

/** Whether more than `most` sessions match the filter and were active in the periods. */
export async function isAnyMore(
  database: Queryable,
  filter: IncidentFilter,
  periods: readonly Period[],
  most: number,
): Promise<boolean> {
  const found = isOfAllSessions(filter)
    ? (await spendOf(database, boundsOf(periods)))?.sessions
    : await countUpTo(database, activeSessions(filter, periods), most + 1);
  return (found ?? 0) > most;
}

async function countUpTo(
  database: Queryable,
  { where, parameters }: Conditions,
  most: number,
): Promise<number | undefined> {
  const sql = `select count(*)::float8 as found from (select 1 from sessions ${where} limit ${String(most)}) as matching`;
  const [row] = await database.query<{ found: number }>(sql, parameters);
  return row?.found;
}

function isOfAllSessions({ model, backend, agent, tenant, agentVersion, tag, sessionId }: IncidentFilter) {
  return [model, backend, agent, tenant, agentVersion, tag, sessionId].every(isAny);
}

function boundsOf(periods: readonly Period[]): Period {
  return {
    from: Math.min(...periods.map((period) => period.from)),
    to: Math.max(...periods.map((period) => period.to)),
  };
}

function activeSessions(
  filter: IncidentFilter,
  periods: readonly Period[],
  parameters: unknown[] = [],
): Conditions {
  const conditions = new Conditions(parameters);
  conditions.anyOf('id', filter.sessionId);
  conditions.labels(filter);
  const { from, to } = boundsOf(periods);
  conditions.add(`last_event_at >= ${conditions.parameter(from)}::float8`);
  conditions.add(`started_at < ${conditions.parameter(to)}::float8`);
  return conditions;
}

/** The sessions themselves, each read once, and added up for all periods before they are for each, unless most values are its own. */
function fromSessions(
  filter: IncidentFilter,
  periods: readonly Period[],
  parameters: unknown[],
  group: Group | undefined,
): string {
  const conditions = activeSessions(filter, periods, parameters);
  const time = (at: number): string => `${conditions.parameter(at)}::float8`;
  const isIn = periods.map(({ from, to }) => `last_event_at >= ${time(from)} and started_at < ${time(to)}`);
  const marks = isIn.map((condition, period) => `${condition} as ${inPeriod(period)}`);
  const value = group === undefined ? [] : [`${group.value} as value`];
  const read = (amounts: readonly string[]) =>
    // PostgreSQL expects as many values of a tag as sessions, and would sort them; of a subquery it expects few, and hashes them.
    `select ${[...value, ...marks, ...amounts].join(', ')} from sessions ${conditions.where} ${isOfTag(group) ? 'offset 0' : ''}`;
  // A tag without sums has nearly as many values as there are sessions.
  if (isOfTag(group) && group?.dimension === undefined)
    return read(columns.map((name) => `${ofSession[name]} as ${name}`));
  const by = [...(group === undefined ? [] : ['value']), ...periods.map((_, period) => inPeriod(period))];
  const sums = columns.map((name) => `${ofSessions[name]} as ${name}`);
  return `select ${[...by, ...sums].join(', ')} from (${read(['tool_calls', 'tokens', 'usd'])}) as each group by ${by.join(', ')}`;
}
