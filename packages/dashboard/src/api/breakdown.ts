import { type Breakdown, type BreakdownDimension, breakdownSchema } from '@loopwatch/contract/api';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { serverNow } from '../lib/clock.ts';
import { rangeLimits, type TimeRange } from '../lib/time-range.ts';
import { request } from './client.ts';

export interface BreakdownView {
  readonly groupBy: BreakdownDimension;
  readonly range: TimeRange;
  readonly sort: string;
}

/** Cost of loops in a period and the previous one, by dimension. */
export function breakdownQuery({ groupBy, range, sort }: BreakdownView) {
  return queryOptions({
    queryKey: ['breakdown', groupBy, range, sort],
    queryFn: ({ signal }): Promise<Breakdown> =>
      request(breakdownSchema, '/stats', {
        query: { groupBy, sort, compare: 'previous', limit: 50, ...rangeLimits(range, serverNow()) },
        signal,
      }),
    refetchInterval: 30_000,
    placeholderData: keepPreviousData,
  });
}
