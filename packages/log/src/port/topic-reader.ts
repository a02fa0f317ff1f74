import type { LogRecord } from './records.ts';
import type { TaskBatch, TopicPartition } from './task.ts';

/** The offsets that a partition holds at a moment. */
export interface Bounds {
  /** Of its oldest record. */
  readonly start: number;
  /** That its next record will get. */
  readonly end: number;
}

export interface TopicReadOptions {
  /**
   * Where to begin in a partition; outside of the bounds, the nearest of them counts. It is asked again when what was to
   * be read next is not in the log (any more): retention has taken it, or the topic was recreated. Default: the start.
   */
  readonly from?: (place: TopicPartition, bounds: Bounds) => number | Promise<number>;
  /** The link to the log went up or down; `reason` is for people. Must not throw. */
  readonly onConnection?: (state: 'up' | 'down', reason?: string) => void;
  /** When `run` resolves: at the end that the partitions had when it was called (default), or once reading has begun. */
  readonly resolveWhen?: 'caught_up' | 'started';
}

/** Takes records; the next ones of the partition wait for it. When it rejects, they come again, after a pause. */
export type TopicHandler = (batch: TaskBatch) => void | Promise<void>;

/** Reads whole topics for itself: no group shares the records, and nothing is left behind in the log. */
export interface TopicReader {
  /**
   * Hands over the records of each partition in order, and goes on with what comes. Rejects with a {@link LogError} when
   * it cannot start.
   */
  run(handler: TopicHandler, options?: TopicReadOptions): Promise<void>;
  /** Waits for the handler at work. */
  stop(): Promise<void>;
}

/** What was read of a partition at once. */
export interface RecordRange {
  readonly records: readonly LogRecord[];
  /** The offset behind what was read; markers and gaps can make it more than one behind the last record. */
  readonly next: number;
}

/** Looks records up by their offset. */
export interface RecordReader {
  /** @throws LogError when the log cannot be asked */
  bounds(place: TopicPartition): Promise<Bounds>;
  /**
   * About `limit` records from an offset on, several thousand at most; none at the end. An offset that is gone counts as
   * the oldest there is.
   *
   * @throws LogError when the log cannot be read in time
   */
  read(place: TopicPartition, from: number, limit: number): Promise<RecordRange>;
  close(): Promise<void>;
}

/** Where to begin, kept within what there is. */
export async function beginning(
  place: TopicPartition,
  bounds: Bounds,
  from: TopicReadOptions['from'],
): Promise<number> {
  const wanted = (await from?.(place, bounds)) ?? bounds.start;
  return Math.min(Math.max(wanted, bounds.start), bounds.end);
}
