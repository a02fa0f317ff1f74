import type { Overview } from '@loopwatch/contract/api';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { overviewQuery } from '../api/overview.ts';
import type { TimeRange } from '../lib/time-range.ts';
import { useLive } from '../live/context.ts';
import { useShownOpenCount } from '../page/open-count.ts';

/** At least this long between two reads. */
const PAUSE_MS = 1_000;

/** The overview; refetched when the live stream reports a change that it does not include yet. */
export function useOverview(range: TimeRange | undefined): UseQueryResult<Overview> {
  const query = useQuery(overviewQuery(range));
  const latest = useLive(({ sequence }) => sequence ?? 0);
  const liveOpen = useLive(({ link, stats }) => (link.state === 'live' ? stats?.open : undefined));
  const { data, isFetching, refetch, dataUpdatedAt, errorUpdatedAt } = query;
  // A session that goes quiet changes no row, so the sequence alone is not enough.
  const isBehind =
    data !== undefined && (data.sequence < latest || (liveOpen !== undefined && liveOpen !== data.open));
  useEffect(() => {
    if (!isBehind || isFetching) return;
    const since = Date.now() - Math.max(dataUpdatedAt, errorUpdatedAt);
    const timer = setTimeout(() => void refetch(), Math.max(0, PAUSE_MS - since));
    return () => clearTimeout(timer);
  }, [isBehind, isFetching, refetch, dataUpdatedAt, errorUpdatedAt]);
  useShownOpenCount(data?.open);
  return query;
}
