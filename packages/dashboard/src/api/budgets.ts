import { budgetsSchema } from '@loopwatch/contract/api';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { request } from './client.ts';

/** @param session undefined: all that apply now */
export function budgetsQuery(session?: string) {
  return queryOptions({
    queryKey: ['budgets', session],
    queryFn: ({ signal }) => request(budgetsSchema, '/budgets', { query: { session }, signal }),
    refetchInterval: 15_000,
    placeholderData: keepPreviousData,
  });
}
