import type { LogRecord, Rejection } from '../../port/ports.ts';

/** A record batch that cannot be read, as one record: its bytes as they lie in the log, its head included. */
export class UnreadableBatch implements LogRecord {
  readonly offset: number;
  readonly timestamp: number;
  readonly key = null;
  readonly value: Buffer;
  readonly headers = {};
  readonly rejection: Rejection;

  constructor(offset: number, timestamp: number, value: Buffer, rejection: Rejection) {
    this.offset = offset;
    this.timestamp = timestamp;
    this.value = value;
    this.rejection = rejection;
  }

  get text(): string {
    return this.value.toString();
  }
}
