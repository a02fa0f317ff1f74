import type { DetectorId } from '@loopwatch/contract';
import type { DetectorStats } from '@loopwatch/contract/api';
import type { Queryable } from '@loopwatch/storage';
import { wasteSums } from '../storage/waste-sql.ts';
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

/** Incidents that were detected in a range, read in one pass. */
export async function incidentsInRange(
  database: Queryable,
  { from, to, bucketMs }: TimeRange,
): Promise<IncidentsInRange> {
  const rows = await database.query<BucketRow>(
    `select floor((detected_at - $1::float8) / $3::float8)::int as bucket, detector, count(*)::float8 as found,
       count(*) filter (where outcome = 'recovered')::float8 as recovered,
       count(*) filter (where triage = 'acknowledged')::float8 as acknowledged,
       count(*) filter (where triage = 'false_positive')::float8 as "falsePositives",
       ${wasteSums()}
     from incidents where detected_at >= $1::float8 and detected_at < $2::float8 group by 1, 2`,
    [from, to, bucketMs],
  );
  return {
    rows,
    bucket: (index) => rows.filter((row) => row.bucket === index),
    detector: (detector) => detectorStats(rows, detector),
  };
}
