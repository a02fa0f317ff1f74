import type { SessionEvents } from '@loopwatch/contract/api';
import {
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { readEvents } from '../api/sessions.ts';

/** Where loading starts: at the first or the last event of the part with an offset, around an event, or around an incident. */
export type Anchor =
  | { readonly kind: 'start' | 'end'; readonly part: number | undefined }
  | { readonly kind: 'at'; readonly at: number; readonly part: number | undefined }
  | { readonly kind: 'around'; readonly incident: string };

type Cursor = { readonly after: string } | { readonly before: string } | undefined;
type Pages = InfiniteData<SessionEvents, Cursor>;

const PAGE = 500;
const TAIL_MS = 1_000;

interface Options {
  readonly id: string;
  readonly anchor: Anchor;
  /** Whether to poll for new events. */
  readonly live: boolean;
}

/**
 * A session's events, paged from the log in both directions. The end of a live session is polled, since the live stream
 * reports sessions without loops too rarely to follow them.
 */
export function useEvents({ id, anchor, live }: Options) {
  const client = useQueryClient();
  const key = ['sessions', 'events', id, anchor];
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) =>
      readEvents(id, { ...(pageParam ?? begin(anchor)), limit: PAGE }, signal),
    initialPageParam: undefined as Cursor,
    getNextPageParam: ({ after }: SessionEvents): Cursor => (after === null ? undefined : { after }),
    getPreviousPageParam: ({ before }: SessionEvents): Cursor => (before === null ? undefined : { before }),
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });
  const { data, refetch } = query;
  const items = useMemo(() => data?.pages.flatMap((page) => page.items), [data]);
  const last = items?.findLast(({ eventIndex }) => eventIndex !== null);
  const page = data?.pages.at(-1);

  const isCutOff = page !== undefined && hasLater(page);
  const cut = page !== undefined && (!page.complete || isCutOff);
  // The session became live again after its end was loaded: load the events since then.
  const wakes = live && page?.after === null;
  useEffect(() => {
    if (wakes) void refetch();
  }, [wakes, refetch]);

  useQuery({
    queryKey: ['sessions', 'tail', id, anchor],
    enabled: live && page !== undefined && page.after !== null && !isCutOff,
    refetchInterval: TAIL_MS,
    queryFn: async ({ signal }) => {
      const after = client.getQueryData<Pages>(key)?.pages.at(-1)?.after;
      if (after == null) return 0;
      const more = await readEvents(id, { after, limit: PAGE }, signal);
      client.setQueryData<Pages>(key, (known) => known && withTail(known, after, more));
      return more.items.length;
    },
  });

  return {
    ...query,
    items,
    gone: data?.pages[0]?.gone ?? false,
    // The total comes from a summary that can lag behind the log.
    total: Math.max(page?.total ?? 0, (last?.eventIndex ?? -1) + 1),
    cut,
  };
}

/** Whether the session has events after a page. A full page may be its end, where new events are awaited. */
export function hasLater({ items, total }: SessionEvents): boolean {
  const last = items.findLast(({ eventIndex }) => eventIndex !== null)?.eventIndex ?? -1;
  return items.length >= PAGE && last + 1 < total;
}

/** Appends the events after a cursor; returns the same pages if another fetch has moved past it meanwhile. */
export function withTail(known: Pages, after: string, more: SessionEvents): Pages {
  const last = known.pages.at(-1);
  if (last?.after !== after) return known;
  const items = [...last.items, ...more.items];
  if (items.length >= PAGE) {
    return { pages: [...known.pages, more], pageParams: [...known.pageParams, { after }] };
  }
  // A short page is merged into the last one.
  const page = { ...more, items, before: last.before, gone: last.gone };
  return { ...known, pages: [...known.pages.slice(0, -1), page] };
}

function begin(anchor: Anchor) {
  if (anchor.kind === 'around') return { around: anchor.incident };
  if (anchor.kind === 'at') return { at: anchor.at, part: anchor.part };
  return { part: anchor.part, ...(anchor.kind === 'end' && { end: true }) };
}
