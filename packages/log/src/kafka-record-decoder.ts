import kafkajs from 'kafkajs';
import { LogError, messageOf } from './errors.ts';
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
  /** The offset to read next: behind the last complete batch, markers of transactions and gaps included. */
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
 * Decodes the record batches (format v2, KIP-98) of one partition's fetch, from the record at `from` on, without those of
 * aborted transactions. A batch that is cut off at the end is left for the next fetch.
 *
 * kafkajs decodes the same three times slower: it makes each offset a string and an arbitrary-precision number, and
 * filters every record thrice. Records come as views of the fetched bytes, and are read only where somebody asks.
 *
 * @param place For messages, as `topic/partition`.
 * @throws LogError `request_failed` for a format or a compression that cannot be read, naming place and offset
 */
export async function decodeRecords(
  bytes: Buffer,
  from: number,
  aborted: readonly AbortedTransaction[],
  place: string,
): Promise<DecodedRecords> {
  const records: LogRecord[] = [];
  const transactions = new AbortedTransactions(aborted);
  let next = from;
  let at = 0;
  while (at + recordsAt <= bytes.length) {
    const end = at + lengthAt + 4 + bytes.readInt32BE(at + lengthAt);
    if (end > bytes.length) break;
    const baseOffset = int64(bytes, at + offsetAt);
    const magic = bytes.readInt8(at + magicAt);
    if (magic !== 2)
      throw unreadable(place, baseOffset, `its format is version ${magic}, older than Kafka 0.11`);
    const attributes = bytes.readInt16BE(at + attributesAt);
    const last = baseOffset + bytes.readInt32BE(at + lastOffsetDeltaAt);
    const producerId = bytes.readBigInt64BE(at + producerIdAt);
    transactions.reach(last);
    if ((attributes & control) !== 0) {
      transactions.end(producerId, bytes, at + recordsAt);
    } else if (last >= from && !((attributes & transactional) !== 0 && transactions.isAborted(producerId))) {
      const body = await bodyOf(bytes, at + recordsAt, end, attributes, place, baseOffset);
      const appended = (attributes & logAppendTime) !== 0;
      const batch = {
        ...body,
        count: bytes.readInt32BE(at + countAt),
        baseOffset,
        baseTimestamp: int64(bytes, at + (appended ? maxTimestampAt : baseTimestampAt)),
        appended,
      };
      try {
        readRecords(batch, from, records);
      } catch (error) {
        throw unreadable(place, baseOffset, 'its records are broken', error);
      }
    }
    next = Math.max(next, last + 1);
    at = end;
  }
  return { records, next };
}

async function bodyOf(
  bytes: Buffer,
  start: number,
  end: number,
  attributes: number,
  place: string,
  offset: number,
): Promise<{ bytes: Buffer; start: number }> {
  const type = attributes & codecMask;
  if (type === 0) return { bytes, start };
  const { CompressionCodecs } = kafkajs;
  const codecs: Readonly<Record<number, (() => Codec) | undefined>> = CompressionCodecs;
  const codec = codecs[type]?.();
  if (codec === undefined) throw unreadable(place, offset, `its compression ${type} is unknown`);
  try {
    return { bytes: await codec.decompress(bytes.subarray(start, end)), start: 0 };
  } catch (error) {
    throw unreadable(place, offset, `it cannot be decompressed: ${messageOf(error)}`, error);
  }
}

function unreadable(place: string, offset: number, why: string, cause?: unknown): LogError {
  return new LogError(
    'request_failed',
    `The record batch at ${place}@${offset} cannot be read: ${why}. Nothing behind it is read before it is gone or the committed offset is set behind it.`,
    { cause },
  );
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
