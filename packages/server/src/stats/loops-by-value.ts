import { Conditions } from '../storage/conditions.ts';
import { HOUR, sumsOf } from '../storage/sums.ts';
import { wasteSums } from '../storage/waste-sql.ts';
import { cover } from './cover.ts';
import { inPeriod, knownSum } from './session-activity.ts';

/** What loops of a value add up to: columns of `added`. */
export const added = ['incidents', 'calls', 'tokens', 'usd', 'unpriced'] as const;

/** A period, and the prefix of its columns. */
export interface NamedPeriod {
  /** Epoch ms. */
  readonly from: number;
  readonly to: number;
  readonly prefix: '' | 'p_';
}

/**
 * SQL of two tables, each with its columns for every period: `added`, the sums of each value, and `repeated`, the number of
 * loops by value and session. Sessions with a single loop may be missing from `repeated`: a session counts once, so the number
 * of sessions is that of their loops less what `repeated` has in excess of one.
 */
type LoopTables = string;

/**
 * From the rows of incidents, which are those of the table `matching`. Hashing is three times as fast as sorting.
 *
 * @param value SQL of the group
 * @param conditions which rows match; limits and outages may be among them
 * @param isCounted SQL of which of them count as loops
 * @param ofRepeated of the rows of `repeated_loops`, if that table has all that is filtered by
 */
export function loopsFromRows(
  value: string,
  periods: readonly NamedPeriod[],
  conditions: Conditions,
  isCounted: string,
  ofRepeated: Conditions | undefined,
): LoopTables {
  const sums = periods.map(({ from, to, prefix }) => {
    const [start, end] = [conditions.parameter(from), conditions.parameter(to)];
    const within = `detected_at >= ${start}::float8 and detected_at < ${end}::float8`;
    return `count(*) filter (where ${within})::float8 as ${prefix}incidents, ${wasteSums(within, prefix)}`;
  });
  const matching = `matching as materialized (
      select coalesce(${value}, '') as value, session_id, kind, detected_at, wasted_calls, wasted_tokens, wasted_usd
      from incidents ${conditions.where}
    )`;
  if (ofRepeated !== undefined) {
    return `${matching}, added as materialized (
      select value, ${sums.join(', ')} from matching where ${isCounted} group by 1
    ), ${repeatedLoops(value, periods, ofRepeated)}`;
  }
  const again = periods.flatMap(({ prefix }) =>
    added.map((name) => `sum(${prefix}${name})::float8 as ${prefix}${name}`),
  );
  return `${matching}, repeated as materialized (
      select value, session_id, ${sums.join(', ')} from matching where ${isCounted} group by 1, 2
    ), added as (select value, ${again.join(', ')} from repeated group by value)`;
}

/** What `dimension_sums` stores of a loop. */
const ofLoop = {
  found: '1',
  calls: 'wasted_calls::numeric',
  tokens: 'greatest(wasted_tokens, 0)::numeric',
  tokens_known: '(wasted_tokens >= 0)::int',
  usd: 'greatest(wasted_usd, 0)::numeric',
  usd_known: '(wasted_usd >= 0)::int',
  unpriced: '(wasted_tokens >= 0 and wasted_usd < 0)::int',
} as const;

/** From stored sums, of all loops. @param dimension one whose sums are kept */
export function loopsFromSums(
  value: string,
  dimension: string,
  periods: readonly NamedPeriod[],
  parameters: unknown[],
): LoopTables {
  const segments = periods.flatMap(({ from, to }, period) =>
    cover(from, to, [HOUR]).map((segment) => {
      const isSum = segment.width > 0;
      const conditions = new Conditions(parameters);
      conditions.add(isSum ? `edge = 'loop'` : `kind = 'loop'`);
      conditions.between(isSum ? 'at' : 'detected_at', segment.from, segment.to);
      const amounts = Object.entries(ofLoop).map(([name, of]) => (isSum ? name : `${of} as ${name}`));
      const isIn = periods.map((_, one) => `${String(one === period)} as ${inPeriod(one)}`);
      return `select ${isSum ? 'value' : `coalesce(${value}, '') as value`}, ${[...isIn, ...amounts].join(', ')}
        from ${isSum ? sumsOf(dimension, parameters) : 'incidents'} ${conditions.where}`;
    }),
  );
  const sums = periods.map(({ prefix }, period) => {
    const sum = (name: string) => `coalesce(sum(${name}) filter (where ${inPeriod(period)}), 0)`;
    const known = (name: string) => `${knownSum(name, `${name}_known`, inPeriod(period))}::float8`;
    return `${sum('found')}::float8 as ${prefix}incidents, ${sum('calls')}::float8 as ${prefix}calls,
      ${known('tokens')} as ${prefix}tokens, ${known('usd')} as ${prefix}usd, ${sum('unpriced')}::float8 as ${prefix}unpriced`;
  });
  return `added as materialized (
      select value, ${sums.join(', ')} from (${segments.join(' union all ')}) as segments
      group by value having sum(found) > 0
    ), ${repeatedLoops(value, periods, new Conditions(parameters))}`;
}

/** SQL of the table `repeated`, from the loops of sessions with several. @param conditions which of them */
function repeatedLoops(value: string, periods: readonly NamedPeriod[], conditions: Conditions): LoopTables {
  const within = periods.map(({ from, to }) => {
    const [start, end] = [conditions.parameter(from), conditions.parameter(to)];
    return `(detected_at >= ${start}::float8 and detected_at < ${end}::float8)`;
  });
  const counts = periods.map(
    ({ prefix }, period) => `count(*) filter (where ${within[period] ?? ''}) as ${prefix}incidents`,
  );
  conditions.add(`(${within.join(' or ')})`);
  return `repeated as materialized (
      select coalesce(${value}, '') as value, session_id, ${counts.join(', ')}
      from repeated_loops ${conditions.where} group by 1, 2
    )`;
}
