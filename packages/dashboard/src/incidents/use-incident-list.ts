import type { IncidentItem } from '@loopwatch/contract/api';
import { useInfiniteQuery } from '@tanstack/react-query';
import { use, useCallback, useEffect, useMemo, useState } from 'react';
import { incidentsQuery } from '../api/incidents.ts';
import { serverNow, useCoarseNow } from '../lib/clock.ts';
import { LiveContext, useLive } from '../live/context.ts';
import { matches, mergeRows, type View } from './merge.ts';

/** After this long without skipped updates the list is reloaded; earlier would only add load. */
const FLOOD_OVER_MS = 1_500;

export interface IncidentList {
  /** Undefined until loaded. */
  readonly rows: readonly IncidentItem[] | undefined;
  /** Of all pages, those not loaded yet included. */
  readonly total: number;
  /** Whether there are more than that. */
  readonly isLowerBound: boolean;
  readonly error: Error | null;
  readonly retry: () => void;
  /** Loads the next page, unless there is none or one is loading. */
  readonly more: () => void;
  readonly moreState: 'idle' | 'reading' | 'failed' | 'done';
  readonly paused: boolean;
  /** Number of new incidents hidden while paused. */
  readonly waiting: number;
  readonly setPaused: (paused: boolean) => void;
  /** Number of skipped updates; the list reloads when no more are skipped. */
  readonly skipped: number;
  /** Reloads the list from the first page. */
  readonly reload: () => void;
}

/**
 * The incidents of a view: loaded pages merged with live changes.
 *
 * @param held hides new rows as pausing does
 */
export function useIncidentList(view: View, held: boolean): IncidentList {
  const { store } = use(LiveContext);
  const live = useLive((state) => state.incidents);
  const arrived = useLive((state) => state.arrived);
  const skipped = useLive((state) => state.dropped);
  const query = useInfiniteQuery(incidentsQuery(view));
  const [paused, setPaused] = useState(false);
  const still = paused || held;
  const [kept, setKept] = useState(live);
  if (!still && kept !== live) setKept(live);
  const shown = still ? kept : live;

  const { data, hasNextPage } = query;
  const read = useMemo(() => data?.pages.flatMap(({ items }) => items), [data]);
  const now = useCoarseNow();
  const rows = useMemo(
    () => read && mergeRows(read, shown, view, !hasNextPage, now),
    [read, shown, view, hasNextPage, now],
  );
  const waiting = useMemo(() => {
    if (!still) return 0;
    const known = new Set(rows?.map(({ id }) => id));
    const now = serverNow();
    let count = 0;
    for (const id of arrived) {
      const item = live.get(id);
      if (item !== undefined && !known.has(id) && matches(item, view.filter, view.range, now)) count += 1;
    }
    return count;
  }, [still, rows, arrived, live, view]);

  const extra = rows === undefined || read === undefined ? 0 : rows.length - read.length;
  const { isFetchingNextPage, isFetchNextPageError, refetch } = query;
  const reload = useCallback(async () => {
    // Updates skipped during the reload may be missing from it.
    const { dropped } = store.getState();
    const { isSuccess } = await refetch();
    if (isSuccess) store.subtractDropped(dropped);
  }, [store, refetch]);
  useEffect(() => {
    if (skipped === 0 || still) return undefined;
    const timer = setTimeout(() => void reload(), FLOOD_OVER_MS);
    return () => clearTimeout(timer);
  }, [skipped, still, reload]);

  return {
    rows,
    total: Math.max(rows?.length ?? 0, (data?.pages[0]?.total ?? 0) + Math.max(0, extra)),
    isLowerBound: data?.pages[0]?.totalIsLowerBound === true,
    error: query.error,
    retry: () => void refetch(),
    more: () => {
      if (hasNextPage && !isFetchingNextPage) void query.fetchNextPage();
    },
    moreState: isFetchingNextPage
      ? 'reading'
      : isFetchNextPageError
        ? 'failed'
        : hasNextPage
          ? 'idle'
          : 'done',
    paused,
    waiting,
    setPaused,
    skipped,
    reload: () => void reload(),
  };
}
