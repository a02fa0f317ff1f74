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
export interface RecordSink {
  /** Connects; rejects with a {@link LogError} that says what to do. */
  open(): Promise<void>;
  /** Resolves once the log has all of them durably; records of one key keep their order. */
  publish(records: readonly OutputRecord[]): Promise<void>;
  close(): Promise<void>;
}

/** A record whose parts are in memory already. */
export class BytesRecord implements LogRecord {
  readonly offset: number;
  readonly timestamp: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: RecordHeaders;

  constructor({ offset, timestamp, key, value, headers }: Omit<LogRecord, 'text' | 'rejection'>) {
    this.offset = offset;
    this.timestamp = timestamp;
    this.key = key;
    this.value = value;
    this.headers = headers;
  }

  get text(): string | null {
    return this.value === null ? null : this.value.toString();
  }
}

/** The records of each topic, in the order they were given. */
export function groupByTopic<R extends OutputRecord>(records: readonly R[]): Map<string, R[]> {
  const groups = new Map<string, R[]>();
  for (const record of records) {
    const group = groups.get(record.topic);
    if (group === undefined) groups.set(record.topic, [record]);
    else group.push(record);
  }
  return groups;
}

/** About how many bytes a record takes on the wire. */
export function sizeOf({ key, value, headers }: Omit<OutputRecord, 'topic'>): number {
  let bytes = 32 + lengthOf(key) + lengthOf(value);
  for (const name in headers) bytes += 8 + name.length + (headers[name]?.byteLength ?? 0);
  return bytes;
}

function lengthOf(value: string | Buffer | null): number {
  if (value === null) return 0;
  return typeof value === 'string' ? Buffer.byteLength(value) : value.length;
}
