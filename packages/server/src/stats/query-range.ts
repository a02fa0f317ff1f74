import type { StatsQuery } from '@loopwatch/contract/api';
import { HttpProblem } from '../http/problem.ts';
import type { TimeRange } from './range.ts';

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

/**
 * The time a query asks for, with whole buckets.
 *
 * @param now wall clock, epoch ms
 * @throws HttpProblem 400 when it is empty, or has too many buckets
 */
export function queryRange({ from, to, bucketMs }: StatsQuery, now: number): TimeRange {
  const end = to ?? now;
  const start = from ?? end - hour;
  if (start >= end) throw new HttpProblem(400, 'from: has to be before to');
  const width =
    bucketMs ??
    round.find((ms) => (end - start) / ms <= wantedBuckets) ??
    Math.ceil((end - start) / wantedBuckets);
  if ((end - start) / width > MAX_BUCKETS) {
    const least = Math.ceil((end - start) / MAX_BUCKETS);
    throw new HttpProblem(
      400,
      `bucketMs: at most ${String(MAX_BUCKETS)} buckets; ${String(least)} or more for this time`,
    );
  }
  return { from: start, to: end, bucketMs: width };
}
