import {
  erasureSchema,
  type SessionEventsQuery,
  type SessionFilter,
  type SessionItem,
  sessionDetailSchema,
  sessionEventsSchema,
  sessionMessagesSchema,
  sessionOutlineSchema,
  sessionPageSchema,
  sessionPath,
  sessionRecordSchema,
  sessionStopSchema,
} from '@loopwatch/contract/api';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { rangeLimits, type TimeRange } from '../lib/time-range.ts';
import { request } from './client.ts';
import { allPages } from './pages.ts';

export interface SessionQuery {
  readonly filter: Omit<SessionFilter, 'from' | 'to'>;
  readonly range: TimeRange;
  readonly sort: string;
}

const PAGE = 100;

export function sessionsQuery({ filter, range, sort }: SessionQuery) {
  return infiniteQueryOptions({
    queryKey: ['sessions', 'list', filter, range, sort],
    queryFn: ({ pageParam, signal }) =>
      request(sessionPageSchema, '/sessions', {
        query: { ...filter, ...rangeLimits(range, Date.now()), sort, limit: PAGE, cursor: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
}

/** Every session of a query, for a download. @param onPage called after each page with the number of items so far */
export function allSessions(
  { filter, range, sort }: SessionQuery,
  onPage: (read: number) => void,
  signal: AbortSignal,
): Promise<SessionItem[]> {
  const limits = rangeLimits(range, Date.now());
  return allPages(
    (page) =>
      request(sessionPageSchema, '/sessions', { query: { ...filter, ...limits, sort, ...page }, signal }),
    onPage,
  );
}

export function sessionQuery(id: string) {
  return queryOptions({
    queryKey: ['sessions', 'one', id],
    queryFn: ({ signal }) => request(sessionDetailSchema, sessionPath(id), { signal }),
  });
}

/** A page of a session's events, read from the log. */
export function readEvents(id: string, query: SessionEventsQuery, signal?: AbortSignal) {
  return request(sessionEventsSchema, `${sessionPath(id)}/events`, { query, signal });
}

/** A map of a part of a session. @param q text to find in its events */
export function outlineQuery(id: string, { part, q }: { part: number | undefined; q?: string | undefined }) {
  return queryOptions({
    queryKey: ['sessions', 'outline', id, part, q],
    queryFn: ({ signal }) =>
      request(sessionOutlineSchema, `${sessionPath(id)}/outline`, {
        query: { part, q },
        signal,
      }),
    staleTime: Infinity,
  });
}

/** The conversation as stored by the gateway, for sessions that use one. */
export function messagesQuery(id: string) {
  return infiniteQueryOptions({
    queryKey: ['sessions', 'messages', id],
    queryFn: ({ pageParam, signal }) =>
      request(sessionMessagesSchema, `${sessionPath(id)}/messages`, {
        query: { limit: String(PAGE), cursor: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
}

/** A record of the log; records never change. */
export function recordQuery(id: string, offset: string) {
  return queryOptions({
    queryKey: ['sessions', 'record', id, offset],
    queryFn: ({ signal }) => request(sessionRecordSchema, `${sessionPath(id)}/records/${offset}`, { signal }),
    staleTime: Infinity,
  });
}

/** Deletes all that is stored about a session, for good. */
export function eraseSession(id: string) {
  return request(erasureSchema, sessionPath(id), { method: 'DELETE' });
}

/** Stops or resumes a session. */
export function stopSession(id: string, stop: boolean) {
  return request(sessionStopSchema, `${sessionPath(id)}/stop`, {
    method: stop ? 'POST' : 'DELETE',
  });
}
