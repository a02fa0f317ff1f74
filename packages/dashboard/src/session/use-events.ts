import type { SessionEvents } from '@loopwatch/contract/api';
import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { readEvents } from '../api/sessions.ts';

/** Where reading begins: at the start, at the end, or around an incident. */
export type Anchor =
  | { readonly kind: 'start' }
  | { readonly kind: 'end' }
  | { readonly kind: 'around'; readonly incident: string };

type Place = { readonly after: string } | { readonly before: string } | undefined;
type Pages = InfiniteData<SessionEvents, Place>;

const PAGE = 500;
const TAIL_MS = 1_000;

interface Options {
  readonly id: string;
  readonly anchor: Anchor;
  /** An index to read up to. */
  readonly until: number | undefined;
  /** Whether the session goes on. */
  readonly live: boolean;
}

/**
 * A session's events, read back from the log in both directions. Behind the last page of a live session the log is asked
 * again and again: what the live link tells of a session without loops comes too rarely to follow it by.
 */
export function useEvents({ id, anchor, until, live }: Options) {
  const client = useQueryClient();
  const key = ['sessions', 'events', id, anchor];
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) =>
      readEvents(id, { ...(pageParam ?? begin(anchor)), limit: PAGE }, signal),
    initialPageParam: undefined as Place,
    getNextPageParam: ({ after }: SessionEvents): Place => (after === null ? undefined : { after }),
    getPreviousPageParam: ({ before }: SessionEvents): Place => (before === null ? undefined : { before }),
    staleTime: Infinity,
  });
  const { data, hasNextPage, isFetching, fetchNextPage, refetch } = query;
  const items = useMemo(() => data?.pages.flatMap((page) => page.items), [data]);
  const last = items?.findLast(({ eventIndex }) => eventIndex !== null);
  const page = data?.pages.at(-1);

  const cut = page !== undefined && (!page.complete || page.items.length >= PAGE);
  const wanted = until !== undefined && (last?.eventIndex ?? -1) < until && cut;
  useEffect(() => {
    if (wanted && hasNextPage && !isFetching) void fetchNextPage();
  }, [wanted, hasNextPage, isFetching, fetchNextPage]);

  // A session that had fallen silent goes on: the page that was its end is its end no more.
  const wakes = live && page?.after === null;
  useEffect(() => {
    if (wakes) void refetch();
  }, [wakes, refetch]);

  useQuery({
    queryKey: ['sessions', 'tail', id, anchor],
    enabled: live && page !== undefined && page.after !== null && page.items.length < PAGE,
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
    // The count is as of a summary, which may be a moment behind the log.
    total: Math.max(page?.total ?? 0, (last?.eventIndex ?? -1) + 1),
    cut,
  };
}

/** Adds what was found behind a cursor; nothing where others have read on from there meanwhile. */
export function withTail(known: Pages, after: string, more: SessionEvents): Pages {
  const last = known.pages.at(-1);
  if (last?.after !== after) return known;
  const items = [...last.items, ...more.items];
  if (items.length >= PAGE) {
    return { pages: [...known.pages, more], pageParams: [...known.pageParams, { after }] };
  }
  // Few at a time, they make one page of many.
  const page = { ...more, items, before: last.before, gone: last.gone };
  return { ...known, pages: [...known.pages.slice(0, -1), page] };
}

function begin(anchor: Anchor) {
  if (anchor.kind === 'end') return { end: true };
  return anchor.kind === 'around' ? { around: anchor.incident } : {};
}
