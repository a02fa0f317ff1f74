import { remediesSchema } from '@loopwatch/contract/api';
import { queryOptions } from '@tanstack/react-query';
import { request } from './client.ts';

export function remediesQuery(id: string) {
  return queryOptions({
    queryKey: ['incidents', 'one', id, 'remedies'],
    queryFn: ({ signal }) =>
      request(remediesSchema, `/incidents/${encodeURIComponent(id)}/remedies`, { signal }),
  });
}
