import { messageOf } from '@loopwatch/contract';
import kafkajs from 'kafkajs';
import { LogError } from './errors.ts';
import { KafkaRecord } from './kafka-record.ts';
import type { LogRecord } from './ports.ts';
import { Cursor } from './varint-cursor.ts';

/** A transaction that was given up: its records from `firstOffset` on do not count. */
export interface AbortedTransaction {
  readonly producerId: bigint;
  readonly firstOffset: number;
}

export interface DecodedRecords {
  readonly records: LogRecord[];
  /** The offset behind them, markers of transactions and gaps included. */
  readonly next: number;
}

const offsetAt = 0;
const lengthAt = 8;
const magicAt = 16;
const attributesAt = 21;
const lastOffsetDeltaAt = 23;
const baseTimestampAt = 27;
const maxTimestampAt = 35;
const producerIdAt = 43;
const countAt = 57;
const recordsAt = 61;

const codecMask = 0x07;
const logAppendTime = 0x08;
const transactional = 0x10;
const control = 0x20;
/** A marker's key: its version and its type, where 0 is abort and 1 is commit. */
const abortType = 0;

interface Codec {
  decompress(buffer: Buffer): Promise<Buffer>;
}

/**
 * The record batches (format v2, KIP-98) of one partition's fetch, from the record at `from` on, without those of aborted
 * transactions. A batch that is cut off at the end is left for the next fetch.
 *
 * kafkajs decodes the same three times slower: it makes each offset a string and an arbitrary-precision number, and
 * filters every record thrice. Records come as views of the fetched bytes, and are read only where somebody asks.
 */
export class RecordDecoder {
  /** The offset to fetch next: behind the last whole batch, markers of transactions and gaps included. */
  readonly next: number;
  readonly #bytes: Buffer;
  readonly #from: number;
  readonly #place: string;
  readonly #transactions: AbortedTransactions;
  /** Where the last whole batch ends. */
  readonly #end: number;
  #at = 0;
  #next: number;

  /** @param place For messages, as `topic/partition`. */
  constructor(bytes: Buffer, from: number, aborted: readonly AbortedTransaction[], place: string) {
    this.#bytes = bytes;
    this.#from = from;
    this.#place = place;
    this.#transactions = new AbortedTransactions(aborted);
    this.#next = from;
    let at = 0;
    let next = from;
    while (at + recordsAt <= bytes.length) {
      const end = batchEnd(bytes, at);
      if (end > bytes.length) break;
      const readable = isReadable(bytes, at);
      if (readable) next = Math.max(next, lastOffset(bytes, at) + 1);
      at = end;
      if (!readable) break;
    }
    this.#end = at;
    this.next = next;
  }

  /** Bytes that were not taken yet. */
  get left(): number {
    return this.#end - this.#at;
  }

  /**
   * The next batches, until there is nothing left or they reach `enough` bytes.
   *
   * @throws LogError `request_failed` for a format or a compression that cannot be read, naming place and offset
   */
  async take(enough = Infinity): Promise<DecodedRecords> {
    const bytes = this.#bytes;
    const records: LogRecord[] = [];
    for (const start = this.#at; this.left > 0 && this.#at - start < enough; ) {
      const at = this.#at;
      if (!isReadable(bytes, at)) throw this.#unreadable(at, formatOf(bytes, at));
      const attributes = bytes.readInt16BE(at + attributesAt);
      const last = lastOffset(bytes, at);
      const producerId = bytes.readBigInt64BE(at + producerIdAt);
      const isTransactional = (attributes & transactional) !== 0;
      this.#transactions.reach(last);
      if ((attributes & control) !== 0) {
        this.#transactions.end(producerId, bytes, at + recordsAt);
      } else if (last >= this.#from && !(isTransactional && this.#transactions.isAborted(producerId))) {
        await this.#read(at, attributes, records);
      }
      this.#next = Math.max(this.#next, last + 1);
      this.#at = batchEnd(bytes, at);
    }
    return { records, next: this.#next };
  }

  async #read(at: number, attributes: number, into: LogRecord[]): Promise<void> {
    const bytes = this.#bytes;
    const body = await this.#body(at, attributes);
    const appended = (attributes & logAppendTime) !== 0;
    const batch = {
      ...body,
      count: bytes.readInt32BE(at + countAt),
      baseOffset: int64(bytes, at + offsetAt),
      baseTimestamp: int64(bytes, at + (appended ? maxTimestampAt : baseTimestampAt)),
      appended,
    };
    try {
      readRecords(batch, this.#from, into);
    } catch (error) {
      throw this.#unreadable(at, 'its records are broken', error);
    }
  }

  async #body(at: number, attributes: number): Promise<{ bytes: Buffer; start: number }> {
    const bytes = this.#bytes;
    const start = at + recordsAt;
    const type = attributes & codecMask;
    if (type === 0) return { bytes, start };
    const { CompressionCodecs } = kafkajs;
    const codecs: Readonly<Record<number, (() => Codec) | undefined>> = CompressionCodecs;
    const codec = codecs[type]?.();
    if (codec === undefined) throw this.#unreadable(at, `its compression ${type} is unknown`);
    try {
      return { bytes: await codec.decompress(bytes.subarray(start, batchEnd(bytes, at))), start: 0 };
    } catch (error) {
      throw this.#unreadable(at, `it cannot be decompressed: ${messageOf(error)}`, error);
    }
  }

  #unreadable(at: number, why: string, cause?: unknown): LogError {
    return new LogError(
      'request_failed',
      `The record batch at ${this.#place}@${int64(this.#bytes, at + offsetAt)} cannot be read: ${why}. Nothing behind it is read before it is gone or the committed offset is set behind it.`,
      { cause },
    );
  }
}

function batchEnd(bytes: Buffer, at: number): number {
  const headLength = lengthAt + 4;
  // One that claims less than a head is broken; its end is somewhere behind.
  return at + Math.max(recordsAt, headLength + bytes.readInt32BE(at + lengthAt));
}

function isReadable(bytes: Buffer, at: number): boolean {
  return bytes.readInt8(at + magicAt) === 2 && bytes.readInt32BE(at + lengthAt) >= recordsAt - lengthAt - 4;
}

function formatOf(bytes: Buffer, at: number): string {
  const magic = bytes.readInt8(at + magicAt);
  return magic === 2 ? 'its length is broken' : `its format is version ${magic}, older than Kafka 0.11`;
}

function lastOffset(bytes: Buffer, at: number): number {
  return int64(bytes, at + offsetAt) + bytes.readInt32BE(at + lastOffsetDeltaAt);
}

interface RecordBatchBody {
  readonly bytes: Buffer;
  readonly start: number;
  readonly count: number;
  readonly baseOffset: number;
  readonly baseTimestamp: number;
  /** The broker's time of writing counts for all records. */
  readonly appended: boolean;
}

function readRecords(batch: RecordBatchBody, from: number, into: LogRecord[]): void {
  const { bytes, count, baseOffset, baseTimestamp, appended } = batch;
  const cursor = new Cursor(bytes, batch.start);
  for (let i = 0; i < count; i += 1) {
    const length = cursor.varint();
    const end = cursor.at + length;
    if (length <= 0 || end > bytes.length) throw new RangeError('a record reaches beyond its batch');
    cursor.at += 1; // attributes, unused
    const timestampDelta = cursor.varint();
    const offset = baseOffset + cursor.varint();
    if (offset >= from) {
      const timestamp = appended ? baseTimestamp : baseTimestamp + timestampDelta;
      into.push(new KafkaRecord(offset, timestamp, bytes, cursor.at));
    }
    cursor.at = end;
  }
}

/** Which producers' records do not count at a point of the partition. */
class AbortedTransactions {
  readonly #waiting: AbortedTransaction[];
  readonly #open = new Set<bigint>();

  constructor(aborted: readonly AbortedTransaction[]) {
    this.#waiting = [...aborted].sort((a, b) => b.firstOffset - a.firstOffset);
  }

  reach(offset: number): void {
    for (let first = this.#waiting.at(-1); first !== undefined; first = this.#waiting.at(-1)) {
      if (first.firstOffset > offset) return;
      this.#open.add(first.producerId);
      this.#waiting.pop();
    }
  }

  isAborted(producerId: bigint): boolean {
    return this.#open.has(producerId);
  }

  /** A marker ends its producer's transaction. */
  end(producerId: bigint, bytes: Buffer, at: number): void {
    if (this.#open.size === 0) return;
    const cursor = new Cursor(bytes, at);
    cursor.varint();
    cursor.at += 1;
    cursor.varint();
    cursor.varint();
    cursor.varint();
    if (bytes.readInt16BE(cursor.at + 2) === abortType) this.#open.delete(producerId);
  }
}

/** Offsets and times are far below 2^53. */
export function int64(bytes: Buffer, at: number): number {
  return bytes.readInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);
}
