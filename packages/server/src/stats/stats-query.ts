import {
  type BreakdownSort,
  breakdownQuerySchema,
  breakdownSorts,
  isBreakdownDimension,
  statsQuerySchema,
} from '@loopwatch/contract/api';
import * as z from 'zod';
import { parseQuery, sortParameter } from '../http/parse-query.ts';
import { badRequest } from '../http/problem.ts';
import type { BreakdownRequest } from './breakdown.ts';
import type { TimeRange } from './query-range.ts';
import { queryRange } from './query-range.ts';

const MAX_GROUPS = 200;
const DEFAULT_GROUPS = 20;

/** The parameters of `/stats`, excluding the filters. */
export const statsParameters = z
  .object({
    ...statsQuerySchema.shape,
    limit: z
      .int()
      .min(1)
      .max(MAX_GROUPS)
      .describe(
        `Number of groups, 1 to ${String(MAX_GROUPS)}, default ${String(DEFAULT_GROUPS)}; the rest are combined as other. Requires groupBy.`,
      ),
    sort: sortParameter(breakdownSorts).describe(
      'The sort field of groups, prefixed with a minus for descending order; default -usd. increase: incidents more than in the preceding period; rate: incidents per session; share: dollars in loops of all dollars. Requires groupBy.',
    ),
  })
  .partial();

const schema = z.strictObject({ ...breakdownQuerySchema.shape, ...statsParameters.shape });
/** Parameters that are allowed without groupBy. */
const byTime = new Set(Object.keys(statsQuerySchema.shape));

/**
 * Parses a query of `/stats`: statistics by time, or with groupBy by another dimension.
 *
 * @param now wall clock, epoch ms
 * @throws HttpProblem 400 that lists each invalid parameter
 */
export function parseStatsQuery(
  query: unknown,
  now: number,
): { readonly range: TimeRange } | BreakdownRequest {
  const { groupBy, compare, limit, sort, from, to, bucketMs, ...filter } = parseQuery(query, schema);
  const range = queryRange({ from, to, bucketMs: groupBy === undefined ? bucketMs : undefined }, now);
  if (groupBy === undefined) {
    const [dependent] = Object.keys(query as object).filter((name) => !byTime.has(name));
    if (dependent !== undefined) throw badRequest({ parameter: dependent, detail: 'requires groupBy' });
    return { range };
  }
  if (bucketMs !== undefined)
    throw badRequest({ parameter: 'bucketMs', detail: 'cannot be combined with groupBy' });
  const by = sort ?? '-usd';
  if (by.endsWith('increase') && compare === undefined) {
    throw badRequest({ parameter: 'sort', detail: 'increase requires compare=previous' });
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
