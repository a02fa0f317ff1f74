import { QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from './client.ts';

/** The query cache. The live link invalidates queries, so most need no polling. */
export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        // Any request shows that the login has expired.
        if (error instanceof ApiError && error.status === 401 && query.queryKey[0] !== 'me') {
          void client.invalidateQueries({ queryKey: ['me'] });
        }
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 15_000,
        retry: (failures, error) =>
          failures < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
        retryDelay: (attempt) => Math.min(5_000, 400 * 2 ** attempt),
      },
    },
  });
  return client;
}
