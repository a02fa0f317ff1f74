import type { LogRecord } from './records.ts';
import type { TaskBatch, TopicPartition } from './task.ts';

/** The offsets that a partition holds. */
export interface Bounds {
  /** The offset of the oldest record. */
  readonly start: number;
  /** The offset that the next record will get. */
  readonly end: number;
  /** A topic that is deleted and created again has another one, and its offsets mean other records. Absent if the log has none. */
  readonly topicId?: string | undefined;
}

export interface TopicReadOptions {
  /**
   * The offset to start from, clamped to the bounds. Called again when the next offset is out of range: retention deleted
   * it, or the topic was recreated. Default: the start.
   */
  readonly from?: (topicPartition: TopicPartition, bounds: Bounds) => number | Promise<number>;
  /** The connection to the log was established or lost; `reason` is a message for people. Must not throw. */
  readonly onConnection?: (state: 'up' | 'down', reason?: string) => void;
  /** When `run` resolves: at the end offsets that the partitions had when it was called (default), or once reading has started. */
  readonly resolveWhen?: 'caught_up' | 'started';
}

/** Handles records; the partition's next batch waits for it. When it rejects, the batch is retried after a pause. */
export type TopicHandler = (batch: TaskBatch) => void | Promise<void>;

/** Reads whole topics without a consumer group and without committing offsets. */
export interface TopicReader {
  /**
   * Passes the records of each partition to the handler in order, and continues with new ones. Rejects with a
   * {@link LogError} when reading cannot start.
   */
  run(handler: TopicHandler, options?: TopicReadOptions): Promise<void>;
  /** Waits for the running handler. */
  stop(): Promise<void>;
}

/** Records returned by one read. */
export interface RecordRange {
  readonly records: readonly LogRecord[];
  /** The offset after the records; transaction markers and gaps can put it more than one after the last record. */
  readonly next: number;
}

/** Looks records up by their offset. */
export interface RecordReader {
  /** @throws LogError when the log is unavailable */
  bounds(topicPartition: TopicPartition): Promise<Bounds>;
  /**
   * About `limit` records, starting at an offset, several thousand at most; none at the end. A deleted offset counts as
   * the oldest one.
   *
   * @throws LogError when the log cannot be read in time
   */
  read(topicPartition: TopicPartition, from: number, limit: number): Promise<RecordRange>;
  close(): Promise<void>;
}

/** The offset to start from, clamped to the bounds. */
export async function startOffset(
  topicPartition: TopicPartition,
  bounds: Bounds,
  from: TopicReadOptions['from'],
): Promise<number> {
  const wanted = (await from?.(topicPartition, bounds)) ?? bounds.start;
  return Math.min(Math.max(wanted, bounds.start), bounds.end);
}
