import type { StatsQuery } from '@loopwatch/contract/api';
import { HttpProblem } from '../http/problem.ts';
import type { Range } from './range.ts';

const mostBuckets = 500;
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
export function queryRange({ from, to, bucketMs }: StatsQuery, now: number): Range {
  const end = to ?? now;
  const start = from ?? end - hour;
  if (start >= end) throw new HttpProblem(400, 'from: has to be before to');
  const width =
    bucketMs ??
    round.find((ms) => (end - start) / ms <= wantedBuckets) ??
    Math.ceil((end - start) / wantedBuckets);
  if ((end - start) / width > mostBuckets) {
    const least = Math.ceil((end - start) / mostBuckets);
    throw new HttpProblem(
      400,
      `bucketMs: at most ${String(mostBuckets)} buckets; ${String(least)} or more for this time`,
    );
  }
  return { from: start, to: end, bucketMs: width };
}
