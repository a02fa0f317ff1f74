import type { DetectorId } from '@loopwatch/contract';
import type { DetectorStats } from '@loopwatch/contract/api';
import type { Queryable } from '@loopwatch/storage';
import { storedWaste } from '../storage/sums.ts';
import { wasteSums } from '../storage/waste-sql.ts';
import { coverBuckets, type Segment } from './cover.ts';
import { type DetectorRow, detectorStats } from './detector-stats.ts';
import type { TimeRange } from './query-range.ts';

/** Incidents that one detector found in one bucket. */
export interface BucketRow extends DetectorRow {
  readonly bucket: number;
  readonly recovered: number;
}

export interface IncidentsInRange {
  readonly rows: readonly BucketRow[];
  bucket(index: number): readonly BucketRow[];
  detector(detector: DetectorId): Omit<DetectorStats, 'open'>;
}

/** Incidents that were detected in a range. */
export async function incidentsInRange(database: Queryable, range: TimeRange): Promise<IncidentsInRange> {
  const { from, bucketMs, bucketsFrom = from } = range;
  const segments = coverBuckets(range);
  const rows = await database.query<BucketRow>(
    `select bucket, detector, sum(found)::float8 as found, sum(recovered)::float8 as recovered,
       sum(acknowledged)::float8 as acknowledged, sum("falsePositives")::float8 as "falsePositives", sum(calls)::float8 as calls,
       sum(tokens)::float8 as tokens, sum(usd)::float8 as usd, sum(unpriced)::float8 as unpriced
     from (${segments.map(sumsOf).join(' union all ')}) as segments group by 1, 2`,
    [bucketsFrom, bucketMs, ...segments.flatMap((segment) => [segment.from, segment.to])],
  );
  return {
    rows,
    bucket: (index) => rows.filter((row) => row.bucket === index),
    detector: (detector) => detectorStats(rows, detector),
  };
}

function sumsOf({ width }: Segment, index: number): string {
  const [from, to] = boundsOf(index);
  const bucket = (time: string) => `floor((${time} - $1::float8) / $2::float8)::int as bucket`;
  if (width === 0) {
    return `select ${bucket('detected_at')}, detector, count(*) as found,
       count(*) filter (where outcome = 'recovered') as recovered,
       count(*) filter (where triage = 'acknowledged') as acknowledged,
       count(*) filter (where triage = 'false_positive') as "falsePositives", ${wasteSums()}
     from incidents where detected_at >= ${from} and detected_at < ${to} group by 1, 2`;
  }
  return `select ${bucket('at')}, detector, sum(found) as found, sum(recovered) as recovered, sum(acknowledged) as acknowledged,
     sum(false_positives) as "falsePositives", ${storedWaste}
   from incident_sums where width = ${String(width)} and at >= ${from} and at < ${to} group by 1, 2 having sum(found) > 0`;
}

/** The parameters of a segment's bounds, after those of the first bucket and its width. */
export function boundsOf(index: number): [from: string, to: string] {
  return [`$${String(2 * index + 3)}::float8`, `$${String(2 * index + 4)}::float8`];
}
