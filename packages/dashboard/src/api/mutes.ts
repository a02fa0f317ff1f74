import { type MutePost, muteSchema, mutesSchema } from '@loopwatch/contract/api';
import { queryOptions } from '@tanstack/react-query';
import { request, send } from './client.ts';

export const mutesQuery = queryOptions({
  queryKey: ['mutes'],
  queryFn: ({ signal }) => request(mutesSchema, '/mutes', { signal }),
});

export function postMute(body: MutePost) {
  return request(muteSchema, '/mutes', { method: 'POST', body });
}

export function deleteMute(id: string) {
  return send(`/mutes/${encodeURIComponent(id)}`, { method: 'DELETE' });
}
