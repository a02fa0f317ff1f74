import type { Overview } from '@loopwatch/contract/api';
import type { Queryable } from '@loopwatch/storage';
import { coverBuckets, type Segment } from './cover.ts';
import { boundsOf } from './incidents-in-range.ts';
import type { TimeRange } from './query-range.ts';

type Latency = Overview['latency'];

export interface LatencyInRange {
  readonly all: Latency;
  bucket(index: number): Latency;
}

interface Counted {
  /** See `latency_class` of the database. */
  readonly class: number;
  readonly incidents: number;
}

/** The detection latency of the incidents of a range. */
export async function latencyInRange(database: Queryable, range: TimeRange): Promise<LatencyInRange> {
  const segments = coverBuckets(range);
  const rows = await database.query<Counted & { readonly bucket: number }>(
    `select bucket, class, sum(incidents)::float8 as incidents
     from (${segments.map(countsOf).join(' union all ')}) as segments group by 1, 2`,
    [range.bucketsFrom ?? range.from, range.bucketMs, ...segments.flatMap(({ from, to }) => [from, to])],
  );
  const byBucket = new Map<number, Counted[]>();
  const all = new Map<number, number>();
  for (const { bucket, class: own, incidents } of rows) {
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

function countsOf({ width }: Segment, index: number): string {
  const [from, to] = boundsOf(index);
  const bucket = (time: string) => `floor((${time} - $1::float8) / $2::float8)::int as bucket`;
  return width === 0
    ? `select ${bucket('detected_at')}, latency_class(latency_ms) as class, count(*) as incidents from incidents
       where detected_at >= ${from} and detected_at < ${to} and latency_ms is not null group by 1, 2`
    : `select ${bucket('at')}, class, sum(incidents) as incidents from incident_latencies
       where width = ${String(width)} and at >= ${from} and at < ${to} and incidents > 0 group by 1, 2`;
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
