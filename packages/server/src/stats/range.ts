/** A time, epoch ms, in whole buckets; the last one may be cut short. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
  readonly bucketMs: number;
}
