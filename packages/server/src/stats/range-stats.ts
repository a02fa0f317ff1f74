import { type DetectorId, detectorIds } from '@loopwatch/contract';
import type { Stats, StatsBucket } from '@loopwatch/contract/api';
import type { Queryable } from '@loopwatch/storage';
import { isOpenSql } from '../storage/state-sql.ts';
import { activeSessions } from './active-sessions.ts';
import { sumCosts } from './detector-stats.ts';
import { incidentsInRange } from './incidents-in-range.ts';
import type { TimeRange } from './query-range.ts';
import { verdictStats } from './verdict-stats.ts';

type RangeStats = Pick<Stats, 'buckets' | 'latency' | 'wasted' | 'detectors'>;

/** Statistics of a range, by bucket and by detector. @param now wall clock, epoch ms */
export async function rangeStats(database: Queryable, range: TimeRange, now: number): Promise<RangeStats> {
  const { from, to, bucketMs } = range;
  const verdicts = await verdictStats(database, range);
  const found = await incidentsInRange(database, range);
  const open = await database.query<{ readonly detector: DetectorId; readonly open: number }>(
    `select detector, count(*)::float8 as open from incidents
     where detected_at >= $1::float8 and detected_at < $2::float8 and ${isOpenSql('$3')} group by 1`,
    [from, to, now],
  );
  const active = await activeSessions(database, range);
  const buckets = active.map((sessions, index): StatsBucket => {
    const own = found.bucket(index);
    return {
      at: from + index * bucketMs,
      ...verdicts.bucket(index),
      incidents: byDetector(own, (row) => row.found),
      activeSessions: sessions,
      wasted: sumCosts(own),
    };
  });
  return {
    buckets,
    latency: verdicts.latency,
    wasted: sumCosts(found.rows),
    detectors: detectorIds.map((detector) => ({
      ...found.detector(detector),
      open: open.find((row) => row.detector === detector)?.open ?? 0,
    })),
  };
}

function byDetector<Row extends { readonly detector: DetectorId }>(
  rows: readonly Row[],
  count: (row: Row) => number,
): Partial<Record<DetectorId, number>> {
  return Object.fromEntries(rows.map((row) => [row.detector, count(row)]));
}
