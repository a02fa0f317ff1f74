import type { Overview } from '@loopwatch/contract/api';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { overviewQuery } from '../api/overview.ts';
import type { TimeRange } from '../lib/time-range.ts';
import { useLive } from '../live/context.ts';
import { useShownOpenCount } from '../page/open-count.ts';

/** Between two reads while things change. */
const PAUSE_MS = 1_000;

/** The overview of one moment, read again whenever the live link tells of a change that it does not hold yet. */
export function useOverview(range: TimeRange | undefined): UseQueryResult<Overview> {
  const query = useQuery(overviewQuery(range));
  const latest = useLive(({ sequence }) => sequence ?? 0);
  const told = useLive(({ link, stats }) => (link.state === 'live' ? stats?.open : undefined));
  const { data, isFetching, refetch, dataUpdatedAt, errorUpdatedAt } = query;
  // Silence changes no row: what was open goes quiet all the same.
  const isBehind =
    data !== undefined && (data.sequence < latest || (told !== undefined && told !== data.open));
  useEffect(() => {
    if (!isBehind || isFetching) return;
    const since = Date.now() - Math.max(dataUpdatedAt, errorUpdatedAt);
    const timer = setTimeout(() => void refetch(), Math.max(0, PAUSE_MS - since));
    return () => clearTimeout(timer);
  }, [isBehind, isFetching, refetch, dataUpdatedAt, errorUpdatedAt]);
  useShownOpenCount(data?.open);
  return query;
}
