/**
 * Records, and the port that writes them; the ports that read are in `task.ts` and `topic-reader.ts`. Kafka and the embedded
 * log implement all of them. Nothing outside this package depends on which one it uses, and no port has a method that only one
 * adapter could implement.
 */

import type { DeadLetterReason } from '@loopwatch/contract';
import { utf8Text } from './utf8-text.ts';

/** Headers as bytes, exactly as the producer wrote them, also in dead letters. */
export type RecordHeaders = Readonly<Record<string, Uint8Array>>;

/** Why records are rejected: they become a dead letter, and reading continues after them. */
export interface Rejection {
  readonly reason: Extract<DeadLetterReason, 'batch_too_large' | 'unreadable_batch' | 'processing_failed'>;
  /** A message for people. */
  readonly message: string;
  /** The last rejected offset, if more than one record is rejected. */
  readonly lastOffset?: number;
}

/** One record read from the log. */
export interface LogRecord {
  readonly offset: number;
  /** The record's own timestamp in epoch milliseconds. */
  readonly timestamp: number;
  readonly key: Buffer | null;
  /** `null` is a tombstone. */
  readonly value: Buffer | null;
  /** The value as UTF-8 text; cheaper than `value` if only the text is needed. */
  readonly text: string | null;
  readonly headers: RecordHeaders;
  /** Set when the record cannot be read: `value` then holds the raw bytes. */
  readonly rejection?: Rejection;
}

/** A record to be written. */
export interface OutputRecord {
  readonly topic: string;
  readonly key: string | Buffer | null;
  readonly value: string | Buffer | null;
  readonly headers?: RecordHeaders;
  /** Epoch milliseconds. Default: the time of writing. */
  readonly timestamp?: number;
}

/** Writes records durably: events, verdicts, triage, control records, dead letters. */
export interface RecordSink {
  /** Connects; rejects with a {@link LogError} that says how to fix the problem. */
  open(): Promise<void>;
  /** Resolves once all records are written; records with the same key keep their order. */
  publish(records: readonly OutputRecord[]): Promise<void>;
  close(): Promise<void>;
}

/** A record whose fields are already decoded. */
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
    return this.value === null ? null : utf8Text(this.value);
  }
}

/** The records of each topic, in their original order. */
export function groupByTopic<R extends OutputRecord>(records: readonly R[]): Map<string, R[]> {
  const groups = new Map<string, R[]>();
  for (const record of records) {
    const group = groups.get(record.topic);
    if (group === undefined) groups.set(record.topic, [record]);
    else group.push(record);
  }
  return groups;
}

/** Approximate size of a record on the wire, in bytes. */
export function sizeOf({ key, value, headers }: Omit<OutputRecord, 'topic'>): number {
  let bytes = 32 + lengthOf(key) + lengthOf(value);
  for (const name in headers) bytes += 8 + name.length + (headers[name]?.byteLength ?? 0);
  return bytes;
}

function lengthOf(value: string | Buffer | null): number {
  if (value === null) return 0;
  return typeof value === 'string' ? Buffer.byteLength(value) : value.length;
}
