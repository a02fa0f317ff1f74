import { type ApiTokenPost, apiTokensSchema, createdApiTokenSchema } from '@loopwatch/contract/api';
import { queryOptions } from '@tanstack/react-query';
import { request, send } from './client.ts';

/** Created tokens; polled, because their last use changes. */
export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: ({ signal }) => request(apiTokensSchema, '/tokens', { signal }),
  refetchInterval: 30_000,
});

export function createToken(body: ApiTokenPost) {
  return request(createdApiTokenSchema, '/tokens', { method: 'POST', body });
}

export function revokeToken(id: string) {
  return send(`/tokens/${encodeURIComponent(id)}`, { method: 'DELETE' });
}
