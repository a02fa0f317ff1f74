/**
 * The two ports between Loopwatch and an event log. Kafka and the embedded log implement both; nothing outside this
 * package knows which one is behind them, and no port has a method that only one adapter can have.
 */

/** Headers as bytes: what a producer wrote is kept as it is, also on its way to the dead letters. */
export type RecordHeaders = Readonly<Record<string, Uint8Array>>;

/** One record as it lies in the log. */
export interface LogRecord {
  readonly offset: number;
  /** The record's own timestamp in epoch milliseconds. */
  readonly timestamp: number;
  readonly key: Buffer | null;
  /** `null` is a tombstone. */
  readonly value: Buffer | null;
  readonly headers: RecordHeaders;
}

/** Consecutive records of one partition, delivered once; later batches of the partition wait until the handler is done. */
export interface RecordBatch {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly LogRecord[];
  /** Records of the partition behind this batch when it was fetched. */
  readonly lag: number;
  /** Commits the offset after the batch's last record for the consumer group. Call it only after the outputs are delivered. */
  commit(): Promise<void>;
}

/** Called once per batch; when it rejects, nothing is committed and the batch comes again. */
export type BatchHandler = (batch: RecordBatch) => Promise<void>;

/** What the world wants to know about a source; every callback is optional and must not throw. */
export interface SourceObserver {
  /** The set of partitions this member owns changed. */
  onAssignment?(partitions: readonly { topic: string; partition: number }[]): void;
  /** The link to the log went up or down; `reason` is for people. */
  onConnection?(state: 'up' | 'down', reason?: string): void;
}

/** Where records come from. */
export interface EventSource {
  /** Starts delivering; resolves when consuming has started, rejects with a {@link LogError} when it cannot start. */
  run(handler: BatchHandler, observer?: SourceObserver): Promise<void>;
  /** Stops fetching, waits for the handler in progress, then closes. */
  stop(): Promise<void>;
}

/** A record to be written. */
export interface OutputRecord {
  readonly topic: string;
  readonly key: string | Buffer | null;
  readonly value: string | Buffer | null;
  readonly headers?: RecordHeaders;
  /** Epoch milliseconds; the log's own clock when absent. */
  readonly timestamp?: number;
}

/** Where verdicts, dead letters and produced events go. */
export interface VerdictSink {
  /** Connects; rejects with a {@link LogError} that says what to do. */
  open(): Promise<void>;
  /** Resolves once the log has all of them durably; records of one key keep their order. */
  publish(records: readonly OutputRecord[]): Promise<void>;
  close(): Promise<void>;
}
