import type { SessionEvents } from '@loopwatch/contract/api';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { readEvents } from '../api/sessions.ts';
import { useLive } from '../live/context.ts';

/** Where reading begins: at the start, at the end, or around an incident. */
export type Anchor =
  | { readonly kind: 'start' }
  | { readonly kind: 'end' }
  | { readonly kind: 'around'; readonly incident: string };

type Place = { readonly after: string } | { readonly before: string } | undefined;

const PAGE = 500;

/**
 * A session's events, read back from the log in both directions, and new ones as they come.
 *
 * @param until an index to read up to
 */
export function useEvents(id: string, anchor: Anchor, until: number | undefined) {
  const query = useInfiniteQuery({
    queryKey: ['sessions', 'events', id, anchor],
    queryFn: ({ pageParam, signal }) =>
      readEvents(id, { ...(pageParam ?? begin(anchor)), limit: PAGE }, signal),
    initialPageParam: undefined as Place,
    getNextPageParam: ({ after }: SessionEvents): Place => (after === null ? undefined : { after }),
    getPreviousPageParam: ({ before }: SessionEvents): Place => (before === null ? undefined : { before }),
    staleTime: Infinity,
  });
  const { data, hasNextPage, isFetching, fetchNextPage } = query;
  const items = useMemo(() => data?.pages.flatMap((page) => page.items), [data]);
  const last = items?.findLast(({ eventIndex }) => eventIndex !== null);
  const page = data?.pages.at(-1);

  // Behind the last page there is more when it was cut, and when the live link says that the session went on.
  const told = useLive(({ sessions }) => sessions.get(id)?.source.lastOffset);
  const known = items?.at(-1)?.offset;
  const went = told !== undefined && (known === undefined || isLater(told, known));
  const cut = page !== undefined && (!page.complete || page.items.length >= PAGE);
  const wanted = until !== undefined && (last?.eventIndex ?? -1) < until && cut;
  useEffect(() => {
    if ((wanted || (went && !cut)) && hasNextPage && !isFetching) void fetchNextPage();
  }, [wanted, went, cut, hasNextPage, isFetching, fetchNextPage]);

  return {
    ...query,
    items,
    gone: data?.pages[0]?.gone ?? false, // The count is as of a summary, which may be a moment behind the log.
    total: Math.max(page?.total ?? 0, (last?.eventIndex ?? -1) + 1),
    cut,
  };
}

function begin(anchor: Anchor) {
  if (anchor.kind === 'end') return { end: true };
  return anchor.kind === 'around' ? { around: anchor.incident } : {};
}

/** Offsets may be larger than a number is exact. */
function isLater(a: string, b: string): boolean {
  return a.length === b.length ? a > b : a.length > b.length;
}
