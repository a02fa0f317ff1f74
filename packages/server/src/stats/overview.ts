import { detectorIds, detectorKind, type Verdict } from '@loopwatch/contract';
import type { Overview, OverviewQuery } from '@loopwatch/contract/api';
import type { Database, Queryable } from '@loopwatch/storage';
import { listDeploys } from '../deploys/list-deploys.ts';
import { listIncidents } from '../incidents/list-incidents.ts';
import { latestChange } from '../storage/change-lock.ts';
import { HOUR, MINUTE } from '../storage/sums.ts';
import { activeSessions, countLiveSessions } from './active-sessions.ts';
import { countUnresolved } from './current-stats.ts';
import { sumCosts } from './detector-stats.ts';
import { type BucketRow, incidentsInRange } from './incidents-in-range.ts';
import { latencyInRange } from './latency-in-range.ts';
import { loopRate } from './loop-rate.ts';
import { queryRange, type TimeRange } from './query-range.ts';

/** The default range is the shortest of these that reaches back to the first data. */
const spans = [5 * MINUTE, 15 * MINUTE, 60 * MINUTE, 360 * MINUTE];
const MAX_SPAN = 360 * MINUTE;
const SHOWN_OPEN = 8;
const SHOWN_DEPLOYS = 20;

/**
 * Reads the overview in one snapshot of the database, so that its parts are consistent.
 *
 * @param now wall clock, epoch ms
 */
export function readOverview(
  database: Database,
  query: OverviewQuery,
  now: number,
): Promise<Omit<Overview, 'lag' | 'readTo'>> {
  return database.transaction(async (tx) => {
    await tx.query('set transaction isolation level repeatable read, read only');
    const firstAt = await firstData(tx);
    const to = query.to ?? now;
    const from = query.from ?? to - (query.lastMs ?? spanFor(firstAt, to));
    const asked = queryRange({ from, to }, now);
    const bucketsFrom = wholeInterval(asked);
    const range = { ...asked, bucketsFrom };
    const incidents = await incidentsInRange(tx, range);
    const countOf = (kind: Verdict['kind'], count: (row: BucketRow) => number): number =>
      incidents.rows
        .filter(({ detector }) => detectorKind(detector) === kind)
        .reduce((sum, row) => sum + count(row), 0);
    const latency = await latencyInRange(tx, range);
    const active = await activeSessions(tx, range);
    const unresolved = await countUnresolved(tx, now);
    const items = await listIncidents(
      tx,
      { open: true, kind: ['loop'] },
      { now, limit: SHOWN_OPEN, cursor: undefined, sort: { by: 'detectedAt', descending: true } },
    );
    const agents = [...new Set(items.items.flatMap(({ agent }) => agent ?? []))];
    return {
      ...asked,
      asOf: now,
      sequence: await latestChange(tx),
      firstAt,
      ...unresolved,
      openItems: items.items,
      found: countOf('loop', ({ found }) => found),
      recovered: countOf('loop', ({ recovered }) => recovered),
      limits: countOf('limit', ({ found }) => found),
      outages: countOf('outage', ({ found }) => found),
      wasted: sumCosts(incidents.rows),
      rate: await loopRate(tx, range, agents),
      deploys: await listDeploys(tx, { from: range.from, to: range.to }, SHOWN_DEPLOYS),
      latency: latency.all,
      liveSessions: await countLiveSessions(tx, now),
      buckets: active.map((sessions, index) => {
        const own = incidents.bucket(index);
        return {
          at: bucketsFrom + index * range.bucketMs,
          incidents: Object.fromEntries(own.map((row) => [row.detector, row.found])),
          latency: latency.bucket(index),
          activeSessions: sessions,
          wasted: sumCosts(own),
        };
      }),
      detectors: detectorIds.map((detector) => ({
        ...incidents.detector(detector),
        open: unresolved.openByDetector[detector] ?? 0,
      })),
    };
  });
}

/** The whole hour or minute at which the first bucket begins, so that sums are stored of the buckets. */
function wholeInterval({ from, bucketMs }: TimeRange): number {
  const width = [HOUR, MINUTE].find((one) => bucketMs % one === 0);
  return width === undefined ? from : Math.floor(from / width) * width;
}

function spanFor(firstAt: number | null, to: number): number {
  return spans.find((span) => firstAt !== null && to - firstAt <= span) ?? MAX_SPAN;
}

async function firstData(tx: Queryable): Promise<number | null> {
  const [row] = await tx.query<{ first: number | null }>(
    `select least((select min(started_at) from sessions), (select min(detected_at) from incidents)) as first`,
  );
  return row?.first ?? null;
}
