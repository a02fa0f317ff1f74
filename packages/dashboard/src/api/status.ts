import { statusSchema } from '@loopwatch/contract/api';
import { queryOptions } from '@tanstack/react-query';
import { request } from './client.ts';

export const statusQuery = queryOptions({
  queryKey: ['status'],
  queryFn: ({ signal }) => request(statusSchema, '/status', { signal }),
  refetchInterval: 5_000,
});
