import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { incidentsQuery } from '../api/incidents.ts';
import { serverNow } from '../app/clock.ts';
import { costShort } from '../incident/cost.ts';
import { mergeRows } from '../incidents/merge.ts';
import { useLive } from '../live/context.ts';
import { Card } from '../ui/Card.tsx';
import { DetectorLabel } from '../ui/Chip.tsx';
import { formatNumber } from '../ui/format.ts';
import { Ring } from '../ui/Ring.tsx';
import rowLink from '../ui/RowLink.module.css';
import { ListSkeleton } from '../ui/Skeleton.tsx';
import { Ago } from '../ui/Time.tsx';
import { allTime } from '../ui/time-range.ts';
import styles from './LoopingNow.module.css';

const SHOWN = 8;
const view = { filter: { state: ['open' as const] }, range: allTime, sort: '-detectedAt' };

/** What goes on at this moment, the latest first. */
export function LoopingNow() {
  const query = useInfiniteQuery(incidentsQuery(view));
  const live = useLive((state) => state.incidents);
  const open = useLive(({ stats }) => stats?.open);
  const rows = useMemo(() => {
    const read = query.data?.pages.flatMap(({ items }) => items);
    return read && mergeRows(read, live, view, !query.hasNextPage, serverNow()).slice(0, SHOWN);
  }, [query.data, query.hasNextPage, live]);
  return (
    <Card
      title="Looping now"
      note={
        <Link className={styles['all']} to="/incidents" search={{ state: 'open' }} activeProps={{}}>
          {open === undefined || open <= SHOWN
            ? 'open incidents'
            : `all ${formatNumber(open)} open incidents`}
        </Link>
      }
      flush
    >
      {rows === undefined ? (
        query.error === null ? (
          <ListSkeleton inside what="open incidents" rows={4} />
        ) : (
          <p className={styles['nothing']}>They could not be read.</p>
        )
      ) : rows.length === 0 ? (
        <p className={styles['nothing']}>No loop is going on.</p>
      ) : (
        <ol className={styles['list']} aria-label="Open incidents, newest first">
          {rows.map((row) => {
            const cost = costShort(row);
            return (
              <li key={row.id}>
                <Ring
                  detector={row.detector}
                  count={row.count}
                  threshold={row.threshold}
                  period={row.period}
                />
                <div className={styles['why']}>
                  <Link
                    className={rowLink['link']}
                    to="/incidents/$id"
                    params={{ id: row.id }}
                    title={row.reason}
                  >
                    {row.reason}
                  </Link>
                  <p>
                    <DetectorLabel detector={row.detector} />
                    <code>{row.agent ?? row.sessionId}</code>
                  </p>
                </div>
                <div className={styles['cell']}>
                  {cost.value}
                  <small>{cost.unit}</small>
                </div>
                <div className={styles['cell']}>
                  <Ago time={row.detectedAt} />
                </div>
              </li>
            );
          })}
        </ol>
      )}
    </Card>
  );
}
