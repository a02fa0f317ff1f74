import type { LogRecord, RecordHeaders, Rejection } from '../../port/records.ts';
import { utf8Text } from '../../port/utf8-text.ts';

/** Reads Kafka's zigzag varints of up to 53 bits. */
export class Cursor {
  at: number;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  /** Skips a length-prefixed field; a negative length is null. */
  skipField(): void {
    const length = this.varint();
    if (length > 0) this.at += length;
  }

  /** @throws RangeError at the end of the bytes */
  varint(): number {
    const bytes = this.#bytes;
    if (this.at >= bytes.length) throw new RangeError('a record ends in the middle of a number');
    let byte = bytes[this.at++] as number;
    if (byte < 0x80) return (byte >>> 1) ^ -(byte & 1);
    let value = byte & 0x7f;
    for (let shift = 7; shift < 28; shift += 7) {
      byte = bytes[this.at++] as number;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return (value >>> 1) ^ -(value & 1);
    }
    // Beyond the range of bitwise operators: timestamps far from the first one of their batch.
    for (let scale = 2 ** 28; scale < 2 ** 63; scale *= 128) {
      byte = bytes[this.at++] as number;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    }
    throw new RangeError('a number in a record is too long');
  }
}

const noHeaders: RecordHeaders = Object.freeze({});
const noBytes = new Uint8Array(0);
/** A record of a few MB can hold millions of headers; the rest are ignored. */
const MAX_HEADERS = 10_000;

/** A view of a record in the fetched bytes; key, value and headers are decoded on access. */
export class KafkaRecord implements LogRecord {
  readonly offset: number;
  readonly timestamp: number;
  readonly #bytes: Buffer;
  /** Position of the key's length; value and headers follow. */
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
    return length < 0 ? null : utf8Text(this.#bytes, cursor.at, cursor.at + length);
  }

  /** The last value of a repeated header wins, as in Kafka's `lastHeader`. */
  get headers(): RecordHeaders {
    const cursor = new Cursor(this.#bytes, this.#at);
    cursor.skipField();
    cursor.skipField();
    const count = cursor.varint();
    if (count <= 0) return noHeaders;
    // Without a prototype, so that a header named __proto__ needs no special handling.
    const headers = Object.create(null) as Record<string, Uint8Array>;
    for (let i = 0; i < Math.min(count, MAX_HEADERS); i += 1) {
      const name = field(this.#bytes, cursor)?.toString() ?? '';
      headers[name] = field(this.#bytes, cursor) ?? noBytes;
    }
    return headers;
  }
}

/** Reads a length-prefixed field and advances the cursor past it. */
function field(bytes: Buffer, cursor: Cursor): Buffer | null {
  const length = cursor.varint();
  if (length < 0) return null;
  const { at } = cursor;
  cursor.at += length;
  return bytes.subarray(at, at + length);
}

export interface RecordBatchBody {
  /** Uncompressed. */
  readonly bytes: Buffer;
  /** Where its first record begins. */
  readonly start: number;
  readonly count: number;
  readonly baseOffset: number;
  readonly baseTimestamp: number;
  /** Whether the timestamp is the broker's append time, the same for all records. */
  readonly appended: boolean;
}

/** Estimated overhead per record, because a batch can hold millions of tiny ones. */
const RECORD_BYTES = 100;

/** The records of one batch starting at offset `from`, decoded piece by piece. */
export class BatchRecords {
  readonly #body: RecordBatchBody;
  readonly #from: number;
  readonly #cursor: Cursor;
  #read = 0;
  /** The offset after the last decoded record. */
  next: number;

  constructor(body: RecordBatchBody, from: number) {
    this.#body = body;
    this.#from = from;
    this.#cursor = new Cursor(body.bytes, body.start);
    this.next = from;
  }

  get isDone(): boolean {
    return this.#read >= this.#body.count;
  }

  /**
   * @returns the approximate number of bytes decoded
   * @throws RangeError at an invalid record, after adding the records before it to `into`
   */
  take(enough: number, into: LogRecord[]): number {
    const { bytes, baseOffset, baseTimestamp, appended } = this.#body;
    const cursor = this.#cursor;
    let taken = 0;
    for (; !this.isDone && taken < enough; this.#read += 1) {
      const length = cursor.varint();
      const end = cursor.at + length;
      if (length <= 0 || end > bytes.length) throw new RangeError('a record reaches beyond its batch');
      cursor.at += 1; // attributes, unused
      const timestampDelta = cursor.varint();
      const offset = baseOffset + cursor.varint();
      if (offset >= this.#from) {
        const timestamp = appended ? baseTimestamp : baseTimestamp + timestampDelta;
        into.push(new KafkaRecord(offset, timestamp, bytes, cursor.at));
        taken += length + RECORD_BYTES;
        this.next = offset + 1;
      }
      cursor.at = end;
    }
    return taken;
  }
}

/** Represents a record batch that cannot be read; its value is the raw batch including the header. */
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
