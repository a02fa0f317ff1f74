import { type DetectorId, detectorIds } from '@loopwatch/contract';
import type { Stats, StatsBucket } from '@loopwatch/contract/api';
import type { Queryable } from '@loopwatch/storage';
import { isOpenSql } from '../storage/state-sql.ts';
import { wasteSums } from '../storage/waste-sql.ts';
import { activeSessions } from './active-sessions.ts';
import { type DetectorRow, detectorStats, sumCosts } from './detector-stats.ts';
import type { TimeRange } from './query-range.ts';
import { verdictStats } from './verdict-stats.ts';

type RangeStats = Pick<Stats, 'buckets' | 'latency' | 'wasted' | 'detectors'>;

interface BucketRow extends DetectorRow {
  readonly bucket: number;
  readonly open: number;
}

/** Statistics of a range, by bucket and by detector. @param now wall clock, epoch ms */
export async function rangeStats(database: Queryable, range: TimeRange, now: number): Promise<RangeStats> {
  const { from, to, bucketMs } = range;
  const verdicts = await verdictStats(database, range);
  const found = await database.query<BucketRow>(
    `select floor((detected_at - $1::float8) / $3::float8)::float8 as bucket, detector, count(*)::float8 as found,
       count(*) filter (where ${isOpenSql('$4')})::float8 as open,
       count(*) filter (where triage = 'acknowledged')::float8 as acknowledged,
       count(*) filter (where triage = 'false_positive')::float8 as "falsePositives",
       ${wasteSums()}
     from incidents where detected_at >= $1::float8 and detected_at < $2::float8 group by 1, 2`,
    [from, to, bucketMs, now],
  );
  const active = await activeSessions(database, range);
  const buckets = active.map((sessions, index): StatsBucket => {
    const own = found.filter((row) => row.bucket === index);
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
    wasted: sumCosts(found),
    detectors: detectorIds.map((detector) => {
      const own = found.filter((row) => row.detector === detector);
      return { ...detectorStats(own, detector), open: own.reduce((sum, { open }) => sum + open, 0) };
    }),
  };
}

function byDetector<Row extends { readonly detector: DetectorId }>(
  rows: readonly Row[],
  count: (row: Row) => number,
): Partial<Record<DetectorId, number>> {
  return Object.fromEntries(rows.map((row) => [row.detector, count(row)]));
}
