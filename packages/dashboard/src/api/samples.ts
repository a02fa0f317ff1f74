import { type Samples, samplesSchema } from '@loopwatch/contract/api';
import { queryOptions } from '@tanstack/react-query';
import { request } from './client.ts';

export const samplesQuery = queryOptions({
  queryKey: ['samples'],
  queryFn: ({ signal }) => request(samplesSchema, '/samples', { signal }),
  staleTime: 60_000,
});

export function playSamples(playing: boolean): Promise<Samples> {
  return request(samplesSchema, '/samples', { method: 'PUT', body: { playing } });
}

export function removeSamples(): Promise<Samples> {
  return request(samplesSchema, '/samples', { method: 'DELETE' });
}
