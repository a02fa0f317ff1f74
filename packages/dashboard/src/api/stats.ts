import { statsSchema, statusSchema } from '@loopwatch/contract/api';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { rangeLimits, type TimeRange } from '../ui/time-range.ts';
import { request } from './client.ts';

/** What was found in a time. Numbers of now are told by the live link; the rest is read again every half minute. */
export function statsQuery(range: TimeRange) {
  return queryOptions({
    queryKey: ['stats', range],
    queryFn: ({ signal }) =>
      request(statsSchema, '/stats', { query: rangeLimits(range, Date.now()), signal }),
    refetchInterval: 30_000,
    placeholderData: keepPreviousData,
  });
}

export const statusQuery = queryOptions({
  queryKey: ['status'],
  queryFn: ({ signal }) => request(statusSchema, '/status', { signal }),
  refetchInterval: 5_000,
});
