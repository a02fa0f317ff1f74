import { HOUR, MINUTE } from '../storage/sums.ts';
import type { TimeRange } from './query-range.ts';

/** A part of a time range, from inclusive, to exclusive. */
export interface Segment {
  /** Of the intervals whose sums make it up, ms; 0: it has none, and its rows are read. */
  readonly width: number;
  readonly from: number;
  readonly to: number;
}

/** Splits a time range into whole intervals, wide ones as far as possible, and what is left at its ends. */
export function cover(from: number, to: number, widths: readonly number[] = [HOUR, MINUTE]): Segment[] {
  const [width, ...narrower] = widths;
  if (width === undefined) return from < to ? [{ width: 0, from, to }] : [];
  const first = Math.ceil(from / width) * width;
  const end = Math.floor(to / width) * width;
  if (first >= end) return cover(from, to, narrower);
  return [...cover(from, first, narrower), { width, from: first, to: end }, ...cover(end, to, narrower)];
}

/** As {@link cover}, of intervals that lie within one bucket each. */
export function coverBuckets({ from, to, bucketMs, bucketsFrom = from }: TimeRange): Segment[] {
  if (to - bucketsFrom <= bucketMs) return cover(from, to);
  return cover(
    from,
    to,
    [HOUR, MINUTE].filter((width) => bucketMs % width === 0 && bucketsFrom % width === 0),
  );
}
