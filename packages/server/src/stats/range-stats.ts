import { type DetectorId, detectorIds } from '@loopwatch/contract';
import type { DetectorStats, Stats, StatsBucket } from '@loopwatch/contract/api';
import type { Queryable } from '@loopwatch/storage';
import { activeSessions } from './active-sessions.ts';
import type { Range } from './range.ts';
import { verdictStats } from './verdict-stats.ts';

type RangeStats = Pick<Stats, 'buckets' | 'latency' | 'wasted' | 'detectors'>;

interface FoundRow {
  readonly bucket: number;
  readonly detector: DetectorId;
  readonly found: number;
  readonly calls: number;
  readonly tokens: number | null;
}

/** What was found in a time, bucket by bucket. */
export async function rangeStats(database: Queryable, range: Range): Promise<RangeStats> {
  const { from, to, bucketMs } = range;
  const parameters = [from, to, bucketMs];
  const bucket = 'floor((detected_at - $1::float8) / $3::float8)::float8';
  const within = 'detected_at >= $1::float8 and detected_at < $2::float8';
  const verdicts = await verdictStats(database, range);
  const found = await database.query<FoundRow>(
    `select ${bucket} as bucket, detector, count(*)::float8 as found, sum(calls) as calls,
       sum(tokens) filter (where tokens >= 0) as tokens from incidents where ${within} group by 1, 2`,
    parameters,
  );
  const active = await activeSessions(database, range);
  const buckets = active.map((sessions, index): StatsBucket => {
    const own = found.filter((row) => row.bucket === index);
    return {
      at: from + index * bucketMs,
      ...verdicts.bucket(index),
      incidents: byDetector(own, (row) => row.found),
      activeSessions: sessions,
      wasted: wasteOf(own),
    };
  });
  return {
    buckets,
    latency: verdicts.latency,
    wasted: wasteOf(found),
    detectors: await detectorStats(database, range, found),
  };
}

async function detectorStats(
  database: Queryable,
  { from, to }: Range,
  found: readonly FoundRow[],
): Promise<DetectorStats[]> {
  const rows = await database.query<{
    detector: DetectorId;
    open: number;
    acknowledged: number;
    false_positives: number;
  }>(
    `select detector, count(*) filter (where state = 'open')::float8 as open,
       count(*) filter (where triage = 'acknowledged')::float8 as acknowledged,
       count(*) filter (where triage = 'false_positive')::float8 as false_positives
     from incidents where detected_at >= $1::float8 and detected_at < $2::float8 group by detector`,
    [from, to],
  );
  return detectorIds.map((detector) => {
    const own = found.filter((row) => row.detector === detector);
    const row = rows.find((one) => one.detector === detector);
    const { open = 0, acknowledged = 0, false_positives: falsePositives = 0 } = row ?? {};
    const judged = acknowledged + falsePositives;
    return {
      ...{ detector, open, acknowledged, falsePositives },
      incidents: own.reduce((sum, one) => sum + one.found, 0),
      falsePositiveRate: judged === 0 ? null : falsePositives / judged,
      wasted: wasteOf(own),
    };
  });
}

function byDetector<Row extends { readonly detector: DetectorId }>(
  rows: readonly Row[],
  count: (row: Row) => number,
): Partial<Record<DetectorId, number>> {
  return Object.fromEntries(rows.map((row) => [row.detector, count(row)]));
}

function wasteOf(rows: readonly FoundRow[]): Stats['wasted'] {
  const reported = rows.flatMap(({ tokens }) => tokens ?? []);
  return {
    calls: rows.reduce((sum, { calls }) => sum + calls, 0),
    tokens: reported.length === 0 ? null : reported.reduce((sum, tokens) => sum + tokens, 0),
  };
}
