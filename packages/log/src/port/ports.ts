/**
 * What crosses the line between Loopwatch and an event log, and where it is written; reading is in `task.ts` and
 * `topic-reader.ts`. Kafka and the embedded log implement all of it; nothing outside this package knows which one is
 * behind a port, and no port has a method that only one adapter can have.
 */

import type { DeadLetterReason } from '@loopwatch/contract';

/** Headers as bytes: what a producer wrote is kept as it is, also on its way to the dead letters. */
export type RecordHeaders = Readonly<Record<string, Uint8Array>>;

/** Why something in the log is given up: it stands in the dead letters, and what lies behind it is read. */
export interface Rejection {
  readonly reason: Extract<DeadLetterReason, 'batch_too_large' | 'unreadable_batch' | 'processing_failed'>;
  /** For people. */
  readonly message: string;
  /** Where what was given up ends, if that is more than one record. */
  readonly lastOffset?: number;
}

/** One record as it lies in the log. */
export interface LogRecord {
  readonly offset: number;
  /** The record's own timestamp in epoch milliseconds. */
  readonly timestamp: number;
  readonly key: Buffer | null;
  /** `null` is a tombstone. */
  readonly value: Buffer | null;
  /** The value as text (UTF-8), which costs less than its bytes where only the text is wanted. */
  readonly text: string | null;
  readonly headers: RecordHeaders;
  /** Set where there is nothing to be read: `value` then holds the bytes as they lie in the log. */
  readonly rejection?: Rejection;
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
