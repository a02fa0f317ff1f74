import type { LogRecord, RecordHeaders } from '../../port/ports.ts';
import { Cursor } from './varint-cursor.ts';

const noHeaders: RecordHeaders = Object.freeze({});
const noBytes = new Uint8Array(0);
/** A record of some MB can hold millions of them; nothing reads those behind these. */
const maxHeaders = 10_000;

/** A record as it lies in the fetched bytes. Key, value and headers are found when they are asked for. */
export class KafkaRecord implements LogRecord {
  readonly offset: number;
  readonly timestamp: number;
  readonly #bytes: Buffer;
  /** Where the key's length stands; value and headers follow. */
  readonly #at: number;

  constructor(offset: number, timestamp: number, bytes: Buffer, at: number) {
    this.offset = offset;
    this.timestamp = timestamp;
    this.#bytes = bytes;
    this.#at = at;
  }

  get key(): Buffer | null {
    return field(this.#bytes, new Cursor(this.#bytes, this.#at));
  }

  get value(): Buffer | null {
    const cursor = new Cursor(this.#bytes, this.#at);
    cursor.skipField();
    return field(this.#bytes, cursor);
  }

  get text(): string | null {
    const cursor = new Cursor(this.#bytes, this.#at);
    cursor.skipField();
    const length = cursor.varint();
    return length < 0 ? null : this.#bytes.toString('utf8', cursor.at, cursor.at + length);
  }

  /** A header given several times counts with its last value, as in Kafka's own `lastHeader`. */
  get headers(): RecordHeaders {
    const cursor = new Cursor(this.#bytes, this.#at);
    cursor.skipField();
    cursor.skipField();
    const count = cursor.varint();
    if (count <= 0) return noHeaders;
    // Without a prototype, so that a header named __proto__ is one like any other.
    const headers = Object.create(null) as Record<string, Uint8Array>;
    for (let i = 0; i < Math.min(count, maxHeaders); i += 1) {
      const name = field(this.#bytes, cursor)?.toString() ?? '';
      headers[name] = field(this.#bytes, cursor) ?? noBytes;
    }
    return headers;
  }
}

/** The bytes whose length the cursor stands at; the cursor then stands behind them. */
function field(bytes: Buffer, cursor: Cursor): Buffer | null {
  const length = cursor.varint();
  if (length < 0) return null;
  const { at } = cursor;
  cursor.at += length;
  return bytes.subarray(at, at + length);
}
