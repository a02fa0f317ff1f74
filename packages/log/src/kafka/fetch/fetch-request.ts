import { LogError } from '../../port/errors.ts';
import type { KafkaBroker } from '../internals/cluster.ts';
import { encodeFetchRequest } from '../internals/kafkajs.ts';
import { type AbortedTransaction, int64 } from './record-decoder.ts';

/** The offset to fetch from in a partition. */
export interface FetchPosition {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

/** A broker's answer for one partition. */
export interface FetchedPartition {
  readonly topic: string;
  readonly partition: number;
  /** Kafka's error code; 0 is none. */
  readonly errorCode: number;
  readonly highWatermark: number;
  /** The offset of the first record of a transaction that has not ended; otherwise the high watermark. */
  readonly lastStableOffset: number;
  readonly abortedTransactions: readonly AbortedTransaction[];
  /** Record batches; the last one may be cut off. */
  readonly bytes: Buffer;
}

export interface FetchLimits {
  /** How long the broker may wait for records, ms. */
  readonly maxWaitMs: number;
  readonly maxBytes: number;
  readonly maxBytesPerPartition: number;
}

const FETCH_API = 1;
/** Supported since Kafka 2.3. */
const VERSION = 11;
const READ_COMMITTED = 1;
/** Added to the broker's wait time for the request timeout, because the event loop or the network may be busy. */
const ANSWER_MS = 30_000;

/**
 * Sends one read-committed fetch for partitions that this broker leads.
 *
 * @throws LogError `request_failed` for brokers older than Kafka 2.3; errors of kafkajs when the connection fails
 */
export async function fetchFrom(
  broker: KafkaBroker,
  positions: readonly FetchPosition[],
  { maxWaitMs, maxBytes, maxBytesPerPartition }: FetchLimits,
): Promise<FetchedPartition[]> {
  const { host, port } = broker.connectionPool;
  if ((broker.versions[FETCH_API]?.maxVersion ?? 0) < VERSION) {
    throw new LogError(
      'request_failed',
      `Cannot read from ${host}:${port}: the broker is older than Kafka 2.3. Upgrade it.`,
    );
  }
  const topics = positions.map(({ topic, partition, offset }) => ({
    topic,
    partitions: [{ partition, fetchOffset: String(offset), maxBytes: maxBytesPerPartition }],
  }));
  return broker.connectionPool.send({
    request: encodeFetchRequest({
      replicaId: -1,
      maxWaitTime: maxWaitMs,
      minBytes: 1,
      maxBytes,
      isolationLevel: READ_COMMITTED,
      topics,
    }),
    response: {
      decode: (payload) => Promise.resolve(decodeAnswer(payload)),
      parse: (data) => Promise.resolve(data),
    },
    requestTimeout: maxWaitMs + ANSWER_MS,
  });
}

/** Fetch response v11: throttle time, error, session, topics with partitions. */
function decodeAnswer(payload: Buffer): FetchedPartition[] {
  const reader = new AnswerReader(payload);
  reader.int32();
  reader.int16();
  reader.int32();
  return reader
    .array(() => {
      const topic = reader.text();
      return reader.array(() => decodePartition(reader, topic));
    })
    .flat();
}

function decodePartition(reader: AnswerReader, topic: string): FetchedPartition {
  const partition = reader.int32();
  const errorCode = reader.int16();
  const highWatermark = reader.int64();
  const lastStableOffset = reader.int64();
  reader.int64(); // log start offset
  const abortedTransactions = reader.array(() => ({
    producerId: reader.bigint(),
    firstOffset: reader.int64(),
  }));
  reader.int32(); // preferred read replica
  const offsets = { highWatermark, lastStableOffset };
  return { topic, partition, errorCode, ...offsets, abortedTransactions, bytes: reader.bytes() };
}

class AnswerReader {
  readonly #payload: Buffer;
  #at = 0;

  constructor(payload: Buffer) {
    this.#payload = payload;
  }

  int16(): number {
    this.#at += 2;
    return this.#payload.readInt16BE(this.#at - 2);
  }

  int32(): number {
    this.#at += 4;
    return this.#payload.readInt32BE(this.#at - 4);
  }

  int64(): number {
    this.#at += 8;
    return int64(this.#payload, this.#at - 8);
  }

  bigint(): bigint {
    this.#at += 8;
    return this.#payload.readBigInt64BE(this.#at - 8);
  }

  text(): string {
    return this.#take(this.int16()).toString();
  }

  /** A small part of a large response is copied, because a view would keep the whole response in memory. */
  bytes(): Buffer {
    const bytes = this.#take(Math.max(0, this.int32()));
    return bytes.length * 4 < this.#payload.length ? Buffer.from(bytes) : bytes;
  }

  array<T>(read: () => T): T[] {
    return Array.from({ length: Math.max(0, this.int32()) }, read);
  }

  #take(length: number): Buffer {
    const start = this.#at;
    this.#at += length;
    return this.#payload.subarray(start, this.#at);
  }
}
