import { messageOf } from '@loopwatch/contract';
import crc32c from 'crc-32/crc32c.js';
import kafkajs from 'kafkajs';
import { LogError } from '../../port/errors.ts';
import type { LogRecord } from '../../port/records.ts';
import { UnpackedTooLarge } from '../codecs/unpacked-too-large.ts';
import { BatchRecords, Cursor, UnreadableBatch } from './record.ts';

/** An aborted transaction; the producer's records from `firstOffset` to its abort marker are skipped. */
export interface AbortedTransaction {
  readonly producerId: bigint;
  readonly firstOffset: number;
}

export interface DecodedRecords {
  readonly records: LogRecord[];
  /** The offset after the records; transaction markers and gaps can put it more than one after the last record. */
  readonly next: number;
}

const OFFSET_AT = 0;
const LENGTH_AT = 8;
const MAGIC_AT = 16;
const CHECKSUM_AT = 17;
const ATTRIBUTES_AT = 21;
const LAST_OFFSET_DELTA_AT = 23;
const BASE_TIMESTAMP_AT = 27;
const MAX_TIMESTAMP_AT = 35;
const PRODUCER_ID_AT = 43;
const COUNT_AT = 57;
const RECORDS_AT = 61;

const CURRENT_MAGIC = 2;
const CODEC_MASK = 0x07;
const LOG_APPEND_TIME = 0x08;
const TRANSACTIONAL = 0x10;
const CONTROL = 0x20;
/** A marker's key: its version and its type, where 0 is abort and 1 is commit. */
const ABORT_TYPE = 0;

interface Codec {
  decompress(buffer: Buffer): Promise<Buffer>;
}

/**
 * Decodes the record batches (format v2, KIP-98) of one partition's fetch, starting with the record at `from` and skipping
 * aborted transactions. A batch that is cut off at the end is left for the next fetch.
 *
 * kafkajs is three times slower: it converts each offset to a string and an arbitrary-precision number, and filters every
 * record three times. Here, records are views of the fetched bytes, decoded on demand.
 */
export class RecordDecoder {
  /** The offset to fetch next: the one after the last complete batch. */
  readonly next: number;
  readonly #bytes: Buffer;
  readonly #from: number;
  readonly #partitionName: string;
  readonly #transactions: AbortedTransactions;
  /** Where the last complete batch ends. */
  readonly #end: number;
  /** Where a batch with an impossible length begins. */
  readonly #brokenAt: number | undefined;
  #at = 0;
  #next: number;
  /** The batch at `#at`, if it has been read in part. */
  #open: BatchRecords | undefined;

  /** @param partitionName `topic/partition`, for messages */
  constructor(bytes: Buffer, from: number, aborted: readonly AbortedTransaction[], partitionName: string) {
    this.#bytes = bytes;
    this.#from = from;
    this.#partitionName = partitionName;
    this.#transactions = new AbortedTransactions(aborted);
    this.#next = from;
    let at = 0;
    let next = from;
    while (at + MAGIC_AT < bytes.length) {
      const end = batchEnd(bytes, at);
      if (end < at + (isCurrent(bytes, at) ? RECORDS_AT : MAGIC_AT)) {
        this.#brokenAt = at;
        break;
      }
      if (end > bytes.length) break;
      next = Math.max(next, lastOffset(bytes, at) + 1);
      at = end;
    }
    this.#end = this.#brokenAt === undefined ? at : bytes.length;
    this.next = next;
  }

  /** Without a valid length, the start of the next batch is unknown. */
  #invalidLength(at: number): LogError {
    return new LogError(
      'corrupt_log',
      `The record batch at ${this.#partitionName}@${int64(this.#bytes, at + OFFSET_AT)} cannot be read: its length is invalid. The partition is stuck at this batch until it is deleted or the committed offset is set to one after it.`,
    );
  }

  /** Bytes not decoded yet. */
  get left(): number {
    return this.#end - this.#at;
  }

  /**
   * The next records, up to about `enough` uncompressed bytes. A batch that cannot be read is returned as one rejected record.
   *
   * @throws LogError `corrupt_log` for a batch whose length is invalid
   */
  async take(enough = Infinity): Promise<DecodedRecords> {
    const records: LogRecord[] = [];
    for (let taken = 0; this.left > 0 && taken < enough; ) {
      if (this.#at === this.#brokenAt) {
        if (records.length > 0) break;
        throw this.#invalidLength(this.#at);
      }
      try {
        this.#open ??= await this.#nextRecords();
        taken += this.#open?.take(enough - taken, records) ?? batchEnd(this.#bytes, this.#at) - this.#at;
      } catch (error) {
        const rejected = this.#rejected(error);
        records.push(rejected);
        taken += rejected.value.length;
        this.#open = undefined;
      }
      if (this.#open?.isDone === false) {
        this.#next = Math.max(this.#next, this.#open.next);
        continue;
      }
      this.#open = undefined;
      this.#next = Math.max(this.#next, lastOffset(this.#bytes, this.#at) + 1);
      this.#at = batchEnd(this.#bytes, this.#at);
    }
    return { records, next: this.#next };
  }

  /** The records of the batch at `#at`; undefined if all of them are skipped. */
  async #nextRecords(): Promise<BatchRecords | undefined> {
    const bytes = this.#bytes;
    const at = this.#at;
    const magic = bytes.readInt8(at + MAGIC_AT);
    if (!isCurrent(bytes, at)) throw new Error(`its format is version ${magic}, older than Kafka 0.11`);
    if (magic !== CURRENT_MAGIC) throw new Error(`its format is version ${magic}, which Kafka does not have`);
    const attributes = bytes.readInt16BE(at + ATTRIBUTES_AT);
    const last = lastOffset(bytes, at);
    const producerId = bytes.readBigInt64BE(at + PRODUCER_ID_AT);
    const isTransactional = (attributes & TRANSACTIONAL) !== 0;
    this.#transactions.reach(last);
    if ((attributes & CONTROL) !== 0) {
      this.#transactions.end(producerId, bytes, at + RECORDS_AT);
      return undefined;
    }
    if (last < this.#from || (isTransactional && this.#transactions.isAborted(producerId))) return undefined;
    if (!isIntact(bytes, at))
      throw new Error(
        'its checksum is wrong, so it was damaged on the disk of the broker that leads the partition, or on the way. If the replica of another broker is intact, let that broker lead, and write the records again',
      );
    const appended = (attributes & LOG_APPEND_TIME) !== 0;
    const body = {
      ...(await this.#body(at, attributes)),
      count: bytes.readInt32BE(at + COUNT_AT),
      baseOffset: int64(bytes, at + OFFSET_AT),
      baseTimestamp: int64(bytes, at + (appended ? MAX_TIMESTAMP_AT : BASE_TIMESTAMP_AT)),
      appended,
    };
    return new BatchRecords(body, this.#from);
  }

  async #body(at: number, attributes: number): Promise<{ bytes: Buffer; start: number }> {
    const bytes = this.#bytes;
    const start = at + RECORDS_AT;
    const type = attributes & CODEC_MASK;
    const end = batchEnd(bytes, at);
    if (type === 0) return { bytes: bytes.subarray(0, end), start };
    const { CompressionCodecs } = kafkajs;
    const codecs: Readonly<Record<number, (() => Codec) | undefined>> = CompressionCodecs;
    const codec = codecs[type]?.();
    if (codec === undefined) throw new Error(`its compression ${type} is unknown`);
    return { bytes: await codec.decompress(bytes.subarray(start, end)), start: 0 };
  }

  /** One rejected record for the rest of the batch at `#at`, with the bytes of the batch as its value. */
  #rejected(error: unknown): UnreadableBatch {
    const bytes = this.#bytes;
    const at = this.#at;
    const lastOffsetOfBatch = lastOffset(bytes, at);
    const value = bytes.subarray(at, batchEnd(bytes, at));
    const reason = error instanceof UnpackedTooLarge ? 'batch_too_large' : 'unreadable_batch';
    const offset = Math.max(this.#from, this.#open?.next ?? int64(bytes, at + OFFSET_AT));
    const timestamp = isCurrent(bytes, at) ? int64(bytes, at + MAX_TIMESTAMP_AT) : 0;
    return new UnreadableBatch(offset, timestamp, value, {
      reason,
      message: `the record batch of ${value.length.toLocaleString('en-US')} bytes with the offsets ${offset} to ${lastOffsetOfBatch} cannot be read: ${messageOf(error)}`,
      lastOffset: lastOffsetOfBatch,
    });
  }
}

function batchEnd(bytes: Buffer, at: number): number {
  return at + LENGTH_AT + 4 + bytes.readInt32BE(at + LENGTH_AT);
}

/** Brokers check it when a batch is written, and not when it is read. It covers everything from the attributes on. */
function isIntact(bytes: Buffer, at: number): boolean {
  const covered = bytes.subarray(at + ATTRIBUTES_AT, batchEnd(bytes, at));
  return bytes.readInt32BE(at + CHECKSUM_AT) === crc32c.buf(covered);
}

/** Whether its header has the fields of the current format, as far as is known. */
function isCurrent(bytes: Buffer, at: number): boolean {
  const magic = bytes.readInt8(at + MAGIC_AT);
  return magic !== 0 && magic !== 1;
}

/** Since Kafka 0.11, a batch has a base offset and a delta; before, its offset was that of its last record. */
function lastOffset(bytes: Buffer, at: number): number {
  const first = int64(bytes, at + OFFSET_AT);
  return isCurrent(bytes, at) ? first + bytes.readInt32BE(at + LAST_OFFSET_DELTA_AT) : first;
}

/** Tracks whose transactional records are aborted at the current offset. */
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

  /** An abort marker ends its producer's aborted transaction. */
  end(producerId: bigint, bytes: Buffer, at: number): void {
    if (this.#open.size === 0) return;
    const cursor = new Cursor(bytes, at);
    cursor.varint();
    cursor.at += 1;
    cursor.varint();
    cursor.varint();
    cursor.varint();
    if (bytes.readInt16BE(cursor.at + 2) === ABORT_TYPE) this.#open.delete(producerId);
  }
}

/** Reads an int64 as a number; offsets and timestamps are far below 2^53. */
export function int64(bytes: Buffer, at: number): number {
  return bytes.readInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);
}
