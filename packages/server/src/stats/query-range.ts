import type { StatsQuery } from '@loopwatch/contract/api';
import { HttpProblem } from '../http/problem.ts';

const MAX_BUCKETS = 500;
const wantedBuckets = 60;
const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const round = [
  ...[second, 5 * second, 10 * second, 30 * second],
  ...[minute, 5 * minute, 10 * minute, 30 * minute],
  ...[hour, 3 * hour, 6 * hour, 12 * hour, 24 * hour, 7 * 24 * hour],
];

/** A time range, epoch ms, in buckets of equal width; the last one may be shorter. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
  readonly bucketMs: number;
}

/**
 * The range of a query, with default bounds and buckets.
 *
 * @param now wall clock, epoch ms
 * @throws HttpProblem 400 when it is empty, or has too many buckets
 */
export function queryRange({ from, to, bucketMs }: StatsQuery, now: number): TimeRange {
  const end = to ?? now;
  const start = from ?? end - hour;
  if (start >= end) throw new HttpProblem(400, 'from: must be before to');
  const width =
    bucketMs ??
    round.find((ms) => (end - start) / ms <= wantedBuckets) ??
    Math.ceil((end - start) / wantedBuckets);
  if ((end - start) / width > MAX_BUCKETS) {
    const minimum = Math.ceil((end - start) / MAX_BUCKETS);
    throw new HttpProblem(
      400,
      `bucketMs: must be at least ${String(minimum)} for this range (at most ${String(MAX_BUCKETS)} buckets)`,
    );
  }
  return { from: start, to: end, bucketMs: width };
}
