import type { LogRecord, RecordHeaders } from './ports.ts';

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
