import type { Queryable } from '@loopwatch/storage';

/* What triggers keep sums of: see the migration `sums`. */

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

/** The dimensions of `dimension_sums`: the column of each, which is also its stored name. */
export const dimensionColumns = {
  agent: 'agent',
  model: 'model',
  tool: 'tool',
  tenant: 'tenant',
  agentVersion: 'agent_version',
  detector: 'detector',
} as const;

/** What stored sums add up, besides how many there are. */
export const summedAmounts = [
  'calls',
  'tokens',
  'tokens_known',
  'usd',
  'usd_known',
  'unpriced',
  'usd_squares',
] as const;

/**
 * SQL of the table of one dimension's sums. Of a tag, what no value has is the rest of all.
 *
 * @param parameters of the statement; one is added
 */
export function sumsOf(dimension: string, parameters: unknown[]): string {
  parameters.push(dimension);
  const own = `dimension = $${String(parameters.length)}::text`;
  const part = (which: string, value: string, sign: string) =>
    `select edge, at, ${value} as value, ${['found', ...summedAmounts].map((name) => `${sign}${name} as ${name}`).join(', ')}
     from dimension_sums where ${which}`;
  const parts = dimension.startsWith(TAG)
    ? [part(own, 'value', ''), part(own, `''`, '-'), part(`dimension = 'agent'`, `''`, '')]
    : [part(own, 'value', '')];
  return `(${parts.join(' union all ')}) as sums`;
}

/** What the names of dimensions of tags begin with. */
export const TAG = 'tag:';
/** As in the migration `tag sums`. */
const MAX_SUMMED_TAGS = 32;

/** Whether sums by the values of a tag are kept. */
export async function isSummedTag(database: Queryable, key: string): Promise<boolean> {
  const [row] = await database.query<{ summed: boolean }>(
    `select coalesce((select is_summed from summed_tags where key = $1),
       (select count(*) < ${String(MAX_SUMMED_TAGS)} from summed_tags)) as summed`,
    [key],
  );
  return row?.summed === true;
}

/** SQL: the number of stored sessions. */
export const countOfSessions = `coalesce((select sum(started) from session_edges where width = ${String(HOUR)}), 0)`;

/** SQL: the number of stored incidents. */
export const countOfIncidents = `coalesce((select sum(found) from incident_sums where width = ${String(HOUR)}), 0)`;

/** As `wasteSums`, of the rows of `incident_sums`. */
export const storedWaste = `coalesce(sum(calls), 0)::float8 as calls,
  (case when sum(tokens_known) > 0 then sum(tokens) end)::float8 as tokens,
  (case when sum(usd_known) > 0 then sum(usd) end)::float8 as usd, coalesce(sum(unpriced), 0)::float8 as unpriced`;
