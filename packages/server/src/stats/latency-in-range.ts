import type { Overview } from '@loopwatch/contract/api';
import type { Queryable } from '@loopwatch/storage';
import type { TimeRange } from './query-range.ts';

type Latency = Overview['latency'];

export interface LatencyInRange {
  readonly all: Latency;
  bucket(index: number): Latency;
}

/** Exceeds the number of classes: latencies are at most ten minutes. */
const CLASSES = 8192;

/** The latency to two digits as a small integer: percentiles then need few rows and no sort. */
const latencyClass = `case when latency_ms < 100 then latency_ms::int when latency_ms < 1000 then 90 + (latency_ms / 10)::int
  else 180 + (latency_ms / 100)::int end`;

interface Counted {
  readonly class: number;
  readonly incidents: number;
}

/** The detection latency of the incidents of a range. */
export async function latencyInRange(
  database: Queryable,
  { from, to, bucketMs }: TimeRange,
): Promise<LatencyInRange> {
  const rows = await database.query<{ key: number; incidents: number }>(
    `select floor((detected_at - $1::float8) / $3::float8)::int * ${String(CLASSES)} + ${latencyClass} as key,
       count(*)::float8 as incidents
     from incidents where detected_at >= $1::float8 and detected_at < $2::float8 and latency_ms is not null group by 1`,
    [from, to, bucketMs],
  );
  const byBucket = new Map<number, Counted[]>();
  const all = new Map<number, number>();
  for (const { key, incidents } of rows) {
    const bucket = Math.floor(key / CLASSES);
    const own = key % CLASSES;
    all.set(own, (all.get(own) ?? 0) + incidents);
    const counted = byBucket.get(bucket) ?? [];
    byBucket.set(bucket, counted);
    counted.push({ class: own, incidents });
  }
  return {
    all: latencyOf([...all].map(([own, incidents]) => ({ class: own, incidents }))),
    bucket: (index) => latencyOf(byBucket.get(index) ?? []),
  };
}

function latencyOf(counted: readonly Counted[]): Latency {
  const sorted = counted.toSorted((a, b) => a.class - b.class);
  const total = sorted.reduce((sum, { incidents }) => sum + incidents, 0);
  if (total === 0) return null;
  const percentile = (share: number): number => {
    let seen = 0;
    const found = sorted.find(({ incidents }) => (seen += incidents) >= share * total);
    return milliseconds(found?.class ?? 0);
  };
  return { p50Ms: percentile(0.5), p95Ms: percentile(0.95), incidents: total };
}

function milliseconds(own: number): number {
  if (own < 100) return own;
  return own < 190 ? (own - 90) * 10 : (own - 180) * 100;
}
