import type { IncidentFilter } from '@loopwatch/contract/api';
import type { Queryable } from '@loopwatch/storage';
import { Conditions, isAny } from '../storage/conditions.ts';
import { HOUR, summedAmounts, sumsOf } from '../storage/sums.ts';
import { cover, type Segment } from './cover.ts';

interface Period {
  /** Epoch ms. */
  readonly from: number;
  readonly to: number;
}

const columns = ['sessions', ...summedAmounts] as const;
/** The same of one row of `sessions`. */
const ofSession: Readonly<Record<(typeof columns)[number], string>> = {
  sessions: '1',
  calls: 'tool_calls::numeric',
  tokens: 'greatest(tokens, 0)::numeric',
  tokens_known: '(tokens >= 0)::int',
  usd: 'greatest(usd, 0)::numeric',
  usd_known: '(usd >= 0)::int',
  unpriced: '(tokens >= 0 and usd < 0)::int',
  usd_squares: 'greatest(usd, 0)::numeric * greatest(usd, 0)::numeric',
};

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
 */
export function activityRows(
  filter: IncidentFilter,
  periods: readonly Period[],
  parameters: unknown[],
  group?: Group,
): string {
  const select = group === undefined ? '' : `${group.value} as value, `;
  const { model, backend, agent, tenant, agentVersion, tag, sessionId } = filter;
  const isOfAll = [model, backend, agent, tenant, agentVersion, tag, sessionId].every(isAny);
  // Every session has one value of each dimension.
  const dimension = group === undefined ? 'agent' : group.dimension;
  if (isOfAll && dimension !== undefined) {
    const of = new Conditions(parameters);
    const table = sumsOf(dimension, parameters);
    const sums = { table, of, select: group && 'value, ', sessions: 'found' };
    return fromSums(filter, periods, parameters, select, sums);
  }
  // The other sums do not tell single sessions, nor tags.
  const hasSums = isAny(sessionId) && isAny(tag) && group?.value.startsWith('tags') !== true;
  if (!hasSums) return fromSessions(filter, periods, parameters, select);
  const sums = { table: 'session_sums', of: new Conditions(parameters), select, sessions: 'sessions' };
  sums.of.labels(filter);
  return fromSums(filter, periods, parameters, select, sums);
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
  const { where, parameters } = activeSessions(filter, periods);
  const sql = `select count(*)::float8 as found from (select 1 from sessions ${where} limit ${String(most + 1)}) as matching`;
  const [row] = await database.query<{ found: number }>(sql, parameters);
  return (row?.found ?? 0) > most;
}

function activeSessions(
  filter: IncidentFilter,
  periods: readonly Period[],
  parameters: unknown[] = [],
): Conditions {
  const conditions = new Conditions(parameters);
  conditions.anyOf('id', filter.sessionId);
  conditions.labels(filter);
  const from = conditions.parameter(Math.min(...periods.map((period) => period.from)));
  const to = conditions.parameter(Math.max(...periods.map((period) => period.to)));
  conditions.add(`last_event_at >= ${from}::float8`);
  conditions.add(`started_at < ${to}::float8`);
  return conditions;
}

/** The sessions themselves, each read once for all periods. */
function fromSessions(
  filter: IncidentFilter,
  periods: readonly Period[],
  parameters: unknown[],
  group: string,
): string {
  const conditions = activeSessions(filter, periods, parameters);
  const time = (at: number): string => `${conditions.parameter(at)}::float8`;
  const isIn = periods.map(({ from, to }) => `last_event_at >= ${time(from)} and started_at < ${time(to)}`);
  const amounts = columns.map((name) => `${ofSession[name]} as ${name}`);
  const marks = isIn.map((condition, period) => `${condition} as ${inPeriod(period)}`);
  return `select ${group}${[...marks, ...amounts].join(', ')} from sessions ${conditions.where}`;
}
