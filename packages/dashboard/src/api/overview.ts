import { overviewSchema } from '@loopwatch/contract/api';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { spans, type TimeRange } from '../lib/time-range.ts';
import { request } from './client.ts';

/** @param range undefined: all data */
export function overviewQuery(range: TimeRange | undefined) {
  return queryOptions({
    queryKey: ['overview', range],
    queryFn: ({ signal }) => request(overviewSchema, '/overview', { query: limits(range), signal }),
    refetchInterval: 30_000,
    placeholderData: keepPreviousData,
  });
}

function limits(range: TimeRange | undefined) {
  if (range?.kind === 'last') return { lastMs: spans[range.span].ms };
  return range?.kind === 'fixed' ? { from: range.from, to: range.to } : {};
}
