import { type AgentEvent, eventSchema } from '@loopwatch/contract';
import { type IncidentItem, incidentPageSchema, sessionPageSchema } from '@loopwatch/contract/api';
import { useQuery } from '@tanstack/react-query';
import { request } from '../api/client.ts';
import { readEvents } from '../api/sessions.ts';
import type { Recording } from './analyze.ts';
import type { Label } from './score.ts';

/** Which sessions are tried. */
export type Source =
  | { readonly kind: 'judged' }
  | { readonly kind: 'recent' }
  | { readonly kind: 'chosen'; readonly ids: readonly string[] };

export interface Chosen {
  readonly ids: readonly string[];
  readonly labels: ReadonlyMap<string, Label>;
  /** How many there are in all; the page itself tries the first of them. */
  readonly total: number;
}

/** Sessions that are tried in the page while a threshold is moved. */
const IN_PAGE = 24;
const MAX_EVENTS = 6_000;

/** The sessions of a source, with what people said of them. */
export function useChosen(source: Source) {
  return useQuery({
    queryKey: ['tuning', 'chosen', source],
    queryFn: async ({ signal }): Promise<Chosen> => {
      const judged = await request(incidentPageSchema, '/incidents', {
        query: { triage: ['acknowledged', 'false_positive'], limit: 200 },
        signal,
      });
      const labels = labelsOf(judged.items);
      if (source.kind === 'chosen') return { ids: source.ids, labels, total: source.ids.length };
      if (source.kind === 'judged') {
        const ids = [...labels.keys()];
        return { ids, labels, total: ids.length };
      }
      const recent = await request(sessionPageSchema, '/sessions', { query: { limit: 200 }, signal });
      return { ids: recent.items.map(({ sessionId }) => sessionId), labels, total: recent.total };
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

export interface Recordings {
  readonly recordings: readonly Recording[];
  /** Sessions that the log no longer has, or has only in part, or that are too long for the page. */
  readonly left: readonly string[];
}

/** The events of the first sessions, read from the log. */
export function useRecordings(ids: readonly string[] | undefined) {
  const wanted = ids?.slice(0, IN_PAGE);
  return useQuery({
    queryKey: ['tuning', 'recordings', wanted],
    enabled: wanted !== undefined,
    staleTime: 60_000,
    queryFn: async ({ signal }): Promise<Recordings> => {
      const recordings: Recording[] = [];
      const left: string[] = [];
      for (const id of wanted ?? []) {
        const events = await readAll(id, signal);
        if (events === undefined) left.push(id);
        else recordings.push({ sessionId: id, events });
      }
      return { recordings, left };
    },
  });
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
