import type { DetectorId } from '@loopwatch/contract';
import type { DetectorStats } from '@loopwatch/contract/api';
import type { Queryable } from '@loopwatch/storage';
import { detectorStats } from './detector-stats.ts';
import type { TimeRange } from './range.ts';

/** Incidents of one detector found in one bucket. */
interface FoundRow {
  readonly bucket: number;
  readonly detector: DetectorId;
  readonly found: number;
  readonly recovered: number;
  readonly acknowledged: number;
  readonly falsePositives: number;
  readonly calls: number;
  /** null: no producer reports any. */
  readonly tokens: number | null;
  readonly usd: number | null;
  readonly unpriced: number;
}

export interface Found {
  readonly rows: readonly FoundRow[];
  bucket(index: number): readonly FoundRow[];
  detector(detector: DetectorId): Omit<DetectorStats, 'open'>;
}

/** Incidents found in a range, in one pass. */
export async function incidentsInRange(
  database: Queryable,
  { from, to, bucketMs }: TimeRange,
): Promise<Found> {
  const rows = await database.query<FoundRow>(
    `select floor((detected_at - $1::float8) / $3::float8)::int as bucket, detector, count(*)::float8 as found,
       count(*) filter (where outcome = 'recovered')::float8 as recovered,
       count(*) filter (where triage = 'acknowledged')::float8 as acknowledged,
       count(*) filter (where triage = 'false_positive')::float8 as "falsePositives",
       sum(calls) as calls, sum(tokens) filter (where tokens >= 0) as tokens,
       sum(usd) filter (where usd >= 0) as usd,
       count(*) filter (where tokens >= 0 and usd < 0)::float8 as unpriced
     from incidents where detected_at >= $1::float8 and detected_at < $2::float8 group by 1, 2`,
    [from, to, bucketMs],
  );
  return {
    rows,
    bucket: (index) => rows.filter((row) => row.bucket === index),
    detector: (detector) => detectorStats(rows, detector),
  };
}
