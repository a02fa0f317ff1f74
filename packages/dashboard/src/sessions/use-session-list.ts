import { type SessionItem, sessionAt } from '@loopwatch/contract/api';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { sessionsQuery } from '../api/sessions.ts';
import { useCoarseNow } from '../lib/clock.ts';
import { useLive } from '../live/context.ts';
import type { SessionSearch } from './search.ts';

interface SessionList {
  /** Undefined until loaded. */
  readonly rows: readonly SessionItem[] | undefined;
  readonly total: number;
  /** Whether there are more than that. */
  readonly isLowerBound: boolean;
  readonly error: Error | null;
  readonly retry: () => void;
  /** Loads the next page, unless there is none or one is loading. */
  readonly more: () => void;
}

/** The sessions of a search: loaded pages merged with live changes. */
export function useSessionList(search: Pick<SessionSearch, 'filter' | 'range' | 'sort'>): SessionList {
  const query = useInfiniteQuery({ ...sessionsQuery(search), refetchInterval: 30_000 });
  const live = useLive((state) => state.sessions);
  const now = useCoarseNow();
  const rows = useMemo(() => {
    const read = query.data?.pages.flatMap(({ items }) => items);
    return read?.map((item) => sessionAt(newer(live.get(item.sessionId), item), now));
  }, [query.data, live, now]);

  // A session that is not in the list yet: reloads the list, at most once a second.
  const { sort } = search;
  const unknown = useMemo(() => {
    if (rows === undefined || sort !== '-lastEventAt') return 0;
    const known = new Set(rows.map(({ sessionId }) => sessionId));
    const latest = rows[0]?.lastEventAt ?? 0;
    return [...live.values()].filter(
      ({ sessionId, lastEventAt }) => !known.has(sessionId) && lastEventAt > latest,
    ).length;
  }, [rows, live, sort]);
  const { refetch } = query;
  useEffect(() => {
    if (unknown === 0) return;
    const timer = setTimeout(() => void refetch(), 1_000);
    return () => clearTimeout(timer);
  }, [unknown, refetch]);

  return {
    rows,
    total: query.data?.pages[0]?.total ?? 0,
    isLowerBound: query.data?.pages[0]?.totalIsLowerBound === true,
    error: query.error,
    retry: () => void refetch(),
    more: () => {
      if (query.hasNextPage && !query.isFetchingNextPage) void query.fetchNextPage();
    },
  };
}

function newer(told: SessionItem | undefined, read: SessionItem): SessionItem {
  return told !== undefined && told.updatedAt >= read.updatedAt ? told : read;
}
