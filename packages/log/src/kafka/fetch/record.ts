import type { LogRecord, RecordHeaders, Rejection } from '../../port/records.ts';

/** Reads Kafka's zigzag varints, up to 53 bits of them. */
export class Cursor {
  at: number;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  /** Passes over a field that begins with its length; a negative one stands for null. */
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
    // Beyond what bitwise operators hold: timestamps far from their batch's first.
    for (let scale = 2 ** 28; scale < 2 ** 63; scale *= 128) {
      byte = bytes[this.at++] as number;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    }
    throw new RangeError('a number in a record has no end');
  }
}

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

export interface RecordBatchBody {
  /** Unpacked. */
  readonly bytes: Buffer;
  /** Where its first record begins. */
  readonly start: number;
  readonly count: number;
  readonly baseOffset: number;
  readonly baseTimestamp: number;
  /** The broker's time of writing counts for all records. */
  readonly appended: boolean;
}

/** What a record costs beside its bytes: a batch can hold millions of tiny ones. */
const recordBytes = 100;

/** The records of one batch from the record at `from` on, taken piece by piece. */
export class BatchRecords {
  readonly #body: RecordBatchBody;
  readonly #from: number;
  readonly #cursor: Cursor;
  #read = 0;
  /** The offset behind the last record that was passed. */
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
   * @returns about how many bytes were taken
   * @throws RangeError where the records are broken; those before are taken
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
        taken += length + recordBytes;
        this.next = offset + 1;
      }
      cursor.at = end;
    }
    return taken;
  }
}

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
