import { type AgentEvent, eventSchema } from '@loopwatch/contract';
import { type IncidentItem, incidentPageSchema, sessionPageSchema } from '@loopwatch/contract/api';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { request } from '../api/client.ts';
import { readEvents } from '../api/sessions.ts';
import { serverNow } from '../lib/clock.ts';
import { rangeLimits, type TimeRange } from '../lib/time-range.ts';
import type { Recording } from './analyze.ts';
import type { Label } from './score.ts';

/** Which sessions to use. */
export type Source =
  | { readonly kind: 'judged'; readonly range: TimeRange }
  | { readonly kind: 'recent'; readonly range: TimeRange }
  | { readonly kind: 'chosen'; readonly ids: readonly string[] };

export interface SessionSelection {
  readonly ids: readonly string[];
  readonly labels: ReadonlyMap<string, Label>;
  /** Number of matching sessions, including those beyond the listed ids. */
  readonly total: number;
}

/** Sessions loaded at once; more on request. */
const STEP = 24;
const MAX_EVENTS = 6_000;

/** The sessions of a source with their triage labels. */
export function useSessionSelection(source: Source) {
  return useQuery({
    queryKey: ['tuning', 'chosen', source],
    queryFn: async ({ signal }): Promise<SessionSelection> => {
      const triageLabels = async (limits: object) => {
        const query = { triage: ['acknowledged', 'false_positive'], limit: 200, ...limits };
        const { items } = await request(incidentPageSchema, '/incidents', { query, signal });
        return labelsOf(items);
      };
      if (source.kind === 'chosen') {
        return { ids: source.ids, labels: await triageLabels({}), total: source.ids.length };
      }
      const limits = rangeLimits(source.range, serverNow());
      if (source.kind === 'judged') {
        const labels = await triageLabels(limits);
        return { ids: [...labels.keys()], labels, total: labels.size };
      }
      const recent = await request(sessionPageSchema, '/sessions', {
        query: { limit: 200, ...limits },
        signal,
      });
      const ids = recent.items.map(({ sessionId }) => sessionId);
      return { ids, labels: await triageLabels({}), total: recent.total };
    },
  });
}

/**
 * The same rule as in backtests: an acknowledged incident labels a session as a loop; otherwise a false positive labels
 * it as not a loop.
 */
export function labelsOf(items: readonly IncidentItem[]): ReadonlyMap<string, Label> {
  const labels = new Map<string, Label>();
  for (const { sessionId, triage } of items) {
    if (triage.status === 'acknowledged') labels.set(sessionId, 'loop');
    else if (triage.status === 'false_positive' && !labels.has(sessionId)) labels.set(sessionId, 'not_loop');
  }
  return labels;
}

interface LoadedSessions {
  readonly recordings: readonly Recording[];
  /** Sessions that are no longer complete in the log or too long for the browser. */
  readonly skipped: readonly string[];
}

export interface Recordings {
  /** Undefined until loaded. */
  readonly data: LoadedSessions | undefined;
  readonly error: Error | null;
  readonly retry: () => void;
  /** Sessions not loaded yet, and how many of them the next step loads. */
  readonly rest: number;
  readonly step: number;
  readonly more: () => void;
  /** Progress of the current step; undefined if none is running. */
  readonly progress: { readonly done: number; readonly of: number } | undefined;
}

/** Loads the events of sessions from the log, a few sessions at a time. */
export function useRecordings(ids: readonly string[]): Recordings {
  const [done, setDone] = useState(0);
  const query = useInfiniteQuery({
    queryKey: ['tuning', 'recordings', ids],
    staleTime: Infinity,
    initialPageParam: 0,
    getNextPageParam: (_: LoadedSessions, pages: readonly LoadedSessions[]) =>
      pages.length * STEP < ids.length ? pages.length * STEP : undefined,
    queryFn: async ({ pageParam, signal }): Promise<LoadedSessions> => {
      const recordings: Recording[] = [];
      const skipped: string[] = [];
      setDone(0);
      for (const id of ids.slice(pageParam, pageParam + STEP)) {
        const events = await readAll(id, signal);
        if (events === undefined) skipped.push(id);
        else recordings.push({ sessionId: id, events });
        setDone(recordings.length + skipped.length);
      }
      return { recordings, skipped };
    },
  });
  const { data, isFetching, hasNextPage } = query;
  const pages = data?.pages;
  const read = useMemo(
    () =>
      pages && {
        recordings: pages.flatMap(({ recordings }) => recordings),
        skipped: pages.flatMap(({ skipped }) => skipped),
      },
    [pages],
  );
  const rest = Math.max(0, ids.length - (pages?.length ?? 0) * STEP);
  const step = Math.min(STEP, rest);
  return {
    data: read,
    error: query.error,
    retry: () => void query.refetch(),
    rest,
    step,
    more: () => {
      if (hasNextPage && !isFetching) void query.fetchNextPage();
    },
    progress: isFetching ? { done, of: step } : undefined,
  };
}

/** @returns undefined if the session is incomplete or too long */
async function readAll(id: string, signal: AbortSignal): Promise<AgentEvent[] | undefined> {
  const events: AgentEvent[] = [];
  let after: string | undefined;
  for (;;) {
    const page = await readEvents(id, { limit: 1000, ...(after !== undefined && { after }) }, signal);
    if (page.gone) return undefined;
    for (const { event, duplicate } of page.items) {
      const parsed = duplicate ? undefined : eventSchema.safeParse(event);
      if (parsed?.success === true) events.push(parsed.data);
    }
    if (events.length > MAX_EVENTS) return undefined;
    const done = page.after === null || (page.complete && page.items.length < 1000);
    if (done) return events.length === 0 ? undefined : events;
    after = page.after ?? undefined;
  }
}
