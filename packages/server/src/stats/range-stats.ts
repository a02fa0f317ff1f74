import { type DetectorId, detectorIds } from '@loopwatch/contract';
import type { DetectorStats, Stats, StatsBucket } from '@loopwatch/contract/api';
import type { Queryable } from '@loopwatch/storage';
import { activeSessions } from './active-sessions.ts';
import type { Range } from './range.ts';

type RangeStats = Pick<Stats, 'buckets' | 'latency' | 'wasted' | 'detectors'>;
type Latency = Stats['latency'];

interface LatencyRow {
  readonly bucket: number | null;
  readonly p: readonly number[] | null;
  readonly verdicts: number;
}

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
  const verdicts = await database.query<{ bucket: number; detector: DetectorId; verdicts: number }>(
    `select ${bucket} as bucket, detector, count(*)::float8 as verdicts from verdicts where ${within} group by 1, 2`,
    parameters,
  );
  // Without a bucket: over the whole time.
  const latencies = await database.query<LatencyRow>(
    `select bucket, to_jsonb(percentile_disc(array[0.5, 0.95, 0.99]) within group (order by latency_ms)) as p,
       count(*)::float8 as verdicts
     from (select ${bucket} as bucket, latency_ms from verdicts where ${within} and latency_ms is not null) as known
     group by grouping sets ((bucket), ())`,
    parameters,
  );
  const found = await database.query<FoundRow>(
    `select ${bucket} as bucket, detector, count(*)::float8 as found, sum(calls) as calls,
       sum(tokens) filter (where tokens >= 0) as tokens from incidents where ${within} group by 1, 2`,
    parameters,
  );
  const active = await activeSessions(database, range);
  const buckets = active.map((sessions, index): StatsBucket => {
    const own = found.filter((row) => row.bucket === index);
    const latency = latencies.find((row) => row.bucket === index);
    return {
      at: from + index * bucketMs,
      verdicts: byDetector(
        verdicts.filter((row) => row.bucket === index),
        ({ verdicts: count }) => count,
      ),
      incidents: byDetector(own, (row) => row.found),
      latency: latencyOf(latency),
      activeSessions: sessions,
      wasted: wasteOf(own),
    };
  });
  return {
    buckets,
    latency: latencyOf(latencies.find((row) => row.bucket === null)),
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

function latencyOf(row: LatencyRow | undefined): Latency {
  const [p50Ms, p95Ms, p99Ms] = row?.p ?? [];
  if (row === undefined || p50Ms === undefined || p95Ms === undefined || p99Ms === undefined) return null;
  return { p50Ms, p95Ms, p99Ms, verdicts: row.verdicts };
}
