import {
  type BreakdownSort,
  breakdownQuerySchema,
  breakdownSorts,
  isBreakdownDimension,
  statsQuerySchema,
} from '@loopwatch/contract/api';
import { z } from 'zod';
import { parseQuery, sortParameter } from '../http/parse-query.ts';
import { badRequest } from '../http/problem.ts';
import type { BreakdownRequest } from './breakdown.ts';
import { queryRange } from './query-range.ts';
import type { TimeRange } from './range.ts';

const MAX_GROUPS = 200;
const DEFAULT_GROUPS = 20;

/** What `/stats` takes besides the filters. */
export const statsParameters = z
  .object({
    ...statsQuerySchema.shape,
    limit: z
      .int()
      .min(1)
      .max(MAX_GROUPS)
      .describe(
        `Groups, 1 to ${String(MAX_GROUPS)}, default ${String(DEFAULT_GROUPS)}; the rest is summed up as other. Needs groupBy.`,
      ),
    sort: sortParameter(breakdownSorts).describe(
      'What groups are sorted by, downwards with a minus; default -usd. increase: how many more incidents than in the period before. Needs groupBy.',
    ),
  })
  .partial();

const schema = z.strictObject({ ...breakdownQuerySchema.shape, ...statsParameters.shape });
/** Parameters that mean something without groupBy. */
const byTime = new Set(Object.keys(statsQuerySchema.shape));

/**
 * What a query of `/stats` asks for: sums by time, or by something else.
 *
 * @param now wall clock, epoch ms
 * @throws HttpProblem 400 that names each bad parameter and what is allowed
 */
export function readStatsQuery(
  query: unknown,
  now: number,
): { readonly range: TimeRange } | BreakdownRequest {
  const { groupBy, compare, limit, sort, from, to, bucketMs, ...filter } = parseQuery(query, schema);
  const range = queryRange({ from, to, bucketMs: groupBy === undefined ? bucketMs : undefined }, now);
  if (groupBy === undefined) {
    const [alone] = Object.keys(query as object).filter((name) => !byTime.has(name));
    if (alone !== undefined) throw badRequest({ parameter: alone, detail: 'only with groupBy' });
    return { range };
  }
  if (bucketMs !== undefined) throw badRequest({ parameter: 'bucketMs', detail: 'not with groupBy' });
  const by = sort ?? '-usd';
  if (by.endsWith('increase') && compare === undefined) {
    throw badRequest({ parameter: 'sort', detail: 'increase needs compare=previous' });
  }
  if (!isBreakdownDimension(groupBy)) throw badRequest({ parameter: 'groupBy', detail: 'unknown' });
  return {
    groupBy,
    from: range.from,
    to: range.to,
    compare: compare !== undefined,
    filter: filter,
    limit: limit ?? DEFAULT_GROUPS,
    sort: { by: by.replace('-', '') as BreakdownSort, descending: by.startsWith('-') },
  };
}
