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

/** Which sessions are tried. */
export type Source =
  | { readonly kind: 'judged'; readonly range: TimeRange }
  | { readonly kind: 'recent'; readonly range: TimeRange }
  | { readonly kind: 'chosen'; readonly ids: readonly string[] };

export interface Chosen {
  readonly ids: readonly string[];
  readonly labels: ReadonlyMap<string, Label>;
  /** How many there are in all, those without an id here included. */
  readonly total: number;
}

/** Sessions whose events are read at once; further ones are read when the reader asks for them. */
const STEP = 24;
const MAX_EVENTS = 6_000;

/** The sessions of a source, with what people said of them. */
export function useChosen(source: Source) {
  return useQuery({
    queryKey: ['tuning', 'chosen', source],
    queryFn: async ({ signal }): Promise<Chosen> => {
      const judged = async (limits: object) => {
        const query = { triage: ['acknowledged', 'false_positive'], limit: 200, ...limits };
        const { items } = await request(incidentPageSchema, '/incidents', { query, signal });
        return labelsOf(items);
      };
      if (source.kind === 'chosen') {
        return { ids: source.ids, labels: await judged({}), total: source.ids.length };
      }
      const limits = rangeLimits(source.range, serverNow());
      if (source.kind === 'judged') {
        const labels = await judged(limits);
        return { ids: [...labels.keys()], labels, total: labels.size };
      }
      const recent = await request(sessionPageSchema, '/sessions', {
        query: { limit: 200, ...limits },
        signal,
      });
      const ids = recent.items.map(({ sessionId }) => sessionId);
      return { ids, labels: await judged({}), total: recent.total };
    },
  });
}

/** As backtests decide it: an acknowledged incident makes a session a loop, else a false positive makes it none. */
export function labelsOf(items: readonly IncidentItem[]): ReadonlyMap<string, Label> {
  const labels = new Map<string, Label>();
  for (const { sessionId, triage } of items) {
    if (triage.status === 'acknowledged') labels.set(sessionId, 'loop');
    else if (triage.status === 'false_positive' && !labels.has(sessionId)) labels.set(sessionId, 'not_loop');
  }
  return labels;
}

interface Read {
  readonly recordings: readonly Recording[];
  /** Sessions that the log no longer has, or has only in part, or that are too long for the page. */
  readonly left: readonly string[];
}

export interface Recordings {
  /** Undefined before the first answer. */
  readonly data: Read | undefined;
  readonly error: Error | null;
  readonly retry: () => void;
  /** How many sessions are still to be read, and how many of them a step reads. */
  readonly rest: number;
  readonly step: number;
  readonly more: () => void;
  /** Sessions read of those that are being read now; undefined: none are. */
  readonly progress: { readonly done: number; readonly of: number } | undefined;
}

/** The events of sessions, read from the log a few sessions at a time. */
export function useRecordings(ids: readonly string[]): Recordings {
  const [done, setDone] = useState(0);
  const query = useInfiniteQuery({
    queryKey: ['tuning', 'recordings', ids],
    staleTime: Infinity,
    initialPageParam: 0,
    getNextPageParam: (_: Read, pages: readonly Read[]) =>
      pages.length * STEP < ids.length ? pages.length * STEP : undefined,
    queryFn: async ({ pageParam, signal }): Promise<Read> => {
      const recordings: Recording[] = [];
      const left: string[] = [];
      setDone(0);
      for (const id of ids.slice(pageParam, pageParam + STEP)) {
        const events = await readAll(id, signal);
        if (events === undefined) left.push(id);
        else recordings.push({ sessionId: id, events });
        setDone(recordings.length + left.length);
      }
      return { recordings, left };
    },
  });
  const { data, isFetching, hasNextPage } = query;
  const pages = data?.pages;
  const read = useMemo(
    () =>
      pages && {
        recordings: pages.flatMap(({ recordings }) => recordings),
        left: pages.flatMap(({ left }) => left),
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

/** @returns undefined when they cannot all be had */
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
