import type { DetectorId } from '@loopwatch/contract';
import type { Stats } from '@loopwatch/contract/api';
import type { Queryable } from '@loopwatch/storage';
import type { TimeRange } from './query-range.ts';

export type Latency = Stats['latency'];

export interface VerdictStats {
  readonly latency: Latency;
  bucket(index: number): {
    readonly verdicts: Partial<Record<DetectorId, number>>;
    readonly latency: Latency;
  };
}

interface Row {
  readonly bucket: number;
  readonly detector: DetectorId;
  /** Milliseconds; null: unknown. */
  readonly latency: number | null;
  readonly verdicts: number;
}

/** To the millisecond below a second, to two digits above, so that there are few distinct values. */
const rounded = `case when latency_ms < 1000 then round(latency_ms)
  else round(latency_ms / power(10, floor(log(latency_ms)) - 2)) * power(10, floor(log(latency_ms)) - 2) end`;

/** Count and latency of the verdicts of a range, aggregated in the database without sorting. */
export async function verdictStats(
  database: Queryable,
  { from, to, bucketMs }: TimeRange,
): Promise<VerdictStats> {
  const rows = await database.query<Row>(
    `select floor((happened_at - $1::float8) / $3::float8)::float8 as bucket, detector, ${rounded} as latency,
       count(*)::float8 as verdicts
     from verdicts where happened_at >= $1::float8 and happened_at < $2::float8 group by 1, 2, 3`,
    [from, to, bucketMs],
  );
  const byBucket = new Map<number, Row[]>();
  for (const row of rows) {
    const own = byBucket.get(row.bucket);
    if (own === undefined) byBucket.set(row.bucket, [row]);
    else own.push(row);
  }
  return {
    latency: latencyOf(rows),
    bucket: (index) => {
      const own = byBucket.get(index) ?? [];
      return { verdicts: countsOf(own), latency: latencyOf(own) };
    },
  };
}

function countsOf(rows: readonly Row[]): Partial<Record<DetectorId, number>> {
  const counts: Partial<Record<DetectorId, number>> = {};
  for (const { detector, verdicts } of rows) counts[detector] = (counts[detector] ?? 0) + verdicts;
  return counts;
}

/** Percentiles: the smallest latency that the given share does not exceed. */
function latencyOf(rows: readonly Row[]): Latency {
  const known = rows.flatMap(({ latency, verdicts }) => (latency === null ? [] : [{ latency, verdicts }]));
  if (known.length === 0) return null;
  known.sort((a, b) => a.latency - b.latency);
  const total = known.reduce((sum, { verdicts }) => sum + verdicts, 0);
  const at = (share: number): number => {
    let counted = 0;
    const found = known.find(({ verdicts }) => (counted += verdicts) >= share * total);
    return found?.latency ?? 0;
  };
  return { p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99), verdicts: total };
}
