import { LogError } from '../../port/errors.ts';
import type { LogRecord } from '../../port/records.ts';
import type { TopicPartition } from '../../port/task.ts';
import type { Bounds, RecordRange, RecordReader } from '../../port/topic-reader.ts';
import type { KafkaOptions } from '../client/client.ts';
import { toLogError } from '../client/errors.ts';
import { createKafkaCluster, type KafkaCluster } from '../internals/cluster.ts';
import { KafkaFetcher } from './fetcher.ts';
import { listBounds } from './offsets.ts';

const MIB = 1024 * 1024;
/** A user is waiting for the records. */
const READ_TIMEOUT_MS = 10_000;

/** Looks records up by offset, read committed; connects on first use. */
export function createKafkaRecordReader(options: KafkaOptions): RecordReader {
  return new KafkaRecordReader(options);
}

class KafkaRecordReader implements RecordReader {
  readonly #options: KafkaOptions;
  readonly #cluster: KafkaCluster;
  #connected: Promise<void> | undefined;

  constructor(options: KafkaOptions) {
    this.#options = options;
    this.#cluster = createKafkaCluster(options);
  }

  async bounds(topicPartition: TopicPartition): Promise<Bounds> {
    return this.#ask(topicPartition.topic, () => listBounds(this.#cluster, topicPartition));
  }

  async read(topicPartition: TopicPartition, from: number, limit: number): Promise<RecordRange> {
    const { start, end } = await this.bounds(topicPartition);
    const first = Math.max(from, start);
    if (first >= end || limit <= 0) return { records: [], next: Math.max(from, first) };
    return this.#ask(topicPartition.topic, () => this.#fetch(topicPartition, { first, end }, limit));
  }

  async close(): Promise<void> {
    await this.#connected?.catch(() => undefined);
    await this.#cluster.disconnect().catch(() => undefined);
  }

  async #fetch(
    { topic, partition }: TopicPartition,
    { first, end }: { first: number; end: number },
    limit: number,
  ): Promise<RecordRange> {
    // A separate fetcher for each read, because a fetcher fetches ahead until it is closed.
    const fetcher = new KafkaFetcher(this.#cluster, {
      maxWaitMs: 100,
      maxBytes: 4 * MIB,
      maxBytesPerPartition: MIB,
      log: this.#options.log,
    });
    const timer = setTimeout(() => {
      fetcher.close();
    }, READ_TIMEOUT_MS);
    try {
      const stream = await fetcher.open(topic, partition, first);
      const records: LogRecord[] = [];
      let next = first;
      while (next < end && records.length < limit) {
        const fetched = await stream.next();
        if (fetched === undefined) {
          throw new LogError('request_failed', `${topic}/${partition} could not be read in time.`);
        }
        for (const record of fetched.records) records.push(record);
        next = fetched.next;
      }
      return { records, next };
    } finally {
      clearTimeout(timer);
      fetcher.close();
    }
  }

  async #ask<T>(topic: string, request: () => Promise<T>): Promise<T> {
    const { brokers } = this.#options;
    try {
      this.#connected ??= this.#cluster.connect();
      await this.#connected;
      return await request();
    } catch (error) {
      this.#connected = undefined;
      if (error instanceof LogError) throw error;
      throw toLogError(error, { brokers, doing: `read ${topic}`, topics: [topic] });
    }
  }
}
