import { backtestListSchema, type backtestRequestSchema, backtestSchema } from '@loopwatch/contract/api';
import { queryOptions } from '@tanstack/react-query';
import type * as z from 'zod';
import { request } from './client.ts';

export const backtestsQuery = queryOptions({
  queryKey: ['backtests', 'list'],
  queryFn: ({ signal }) => request(backtestListSchema, '/backtests', { signal }),
});

/** A job with its result. The live link reports progress; polling covers a broken link. */
export function backtestQuery(id: string) {
  return queryOptions({
    queryKey: ['backtests', 'one', id],
    queryFn: ({ signal }) => request(backtestSchema, `/backtests/${encodeURIComponent(id)}`, { signal }),
    refetchInterval: ({ state }) =>
      state.data === undefined || state.data.status === 'queued' || state.data.status === 'running'
        ? 2_000
        : false,
  });
}

/** Body of a request, before defaults are filled in. */
export type BacktestInput = z.input<typeof backtestRequestSchema>;

export function startBacktest(body: BacktestInput) {
  return request(backtestSchema, '/backtests', { method: 'POST', body });
}

export function cancelBacktest(id: string) {
  return request(backtestSchema, `/backtests/${encodeURIComponent(id)}`, { method: 'DELETE' });
}
