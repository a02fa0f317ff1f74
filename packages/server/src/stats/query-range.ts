import type { StatsQuery } from '@loopwatch/contract/api';
import { HttpProblem } from '../http/problem.ts';

const MAX_BUCKETS = 500;
const WANTED_BUCKETS = 60;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const round = [
  ...[SECOND, 5 * SECOND, 10 * SECOND, 30 * SECOND],
  ...[MINUTE, 5 * MINUTE, 10 * MINUTE, 30 * MINUTE],
  ...[HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR, 7 * 24 * HOUR],
];

/** A time range, epoch ms, in buckets of equal width; of the first and the last one, only a part may lie in it. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
  readonly bucketMs: number;
  /** Start of the first bucket; default: `from`. */
  readonly bucketsFrom?: number;
}

/**
 * The range of a query, with default bounds and buckets.
 *
 * @param now wall clock, epoch ms
 * @throws HttpProblem 400 when it is empty, or has too many buckets
 */
export function queryRange({ from, to, bucketMs }: StatsQuery, now: number): TimeRange {
  const end = to ?? now;
  const start = from ?? end - HOUR;
  if (start >= end) throw new HttpProblem(400, 'from: must be before to');
  const width =
    bucketMs ??
    round.find((ms) => (end - start) / ms <= WANTED_BUCKETS) ??
    Math.ceil((end - start) / WANTED_BUCKETS);
  if ((end - start) / width > MAX_BUCKETS) {
    const minimum = Math.ceil((end - start) / MAX_BUCKETS);
    throw new HttpProblem(
      400,
      `bucketMs: must be at least ${String(minimum)} for this range (at most ${String(MAX_BUCKETS)} buckets)`,
    );
  }
  return { from: start, to: end, bucketMs: width };
}
