import { type AuditFilter, auditPageSchema } from '@loopwatch/contract/api';
import { infiniteQueryOptions } from '@tanstack/react-query';
import { serverNow } from '../lib/clock.ts';
import { rangeLimits, type TimeRange } from '../lib/time-range.ts';
import { request } from './client.ts';

const PAGE = 50;

export interface AuditView {
  readonly filter: Pick<AuditFilter, 'action' | 'actor' | 'subject'>;
  readonly range: TimeRange;
}

/** Who changed what, newest first. */
export function auditQuery({ filter, range }: AuditView) {
  return infiniteQueryOptions({
    queryKey: ['audit', filter, range],
    queryFn: ({ pageParam, signal }) =>
      request(auditPageSchema, '/audit', {
        query: { ...filter, ...rangeLimits(range, serverNow()), limit: PAGE, cursor: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
}
