import { backoff, messageOf } from '@loopwatch/contract';
import { delay } from '@loopwatch/platform';
import kafkajs from 'kafkajs';
import { type LogError, sinkNotOpen } from '../../port/errors.ts';
import { type OutputRecord, type RecordSink, sizeOf } from '../../port/records.ts';
import { createKafkaClient, type KafkaOptions, withAdmin } from '../client/client.ts';
import { isTransient, needsNewProducer, toLogError } from '../client/errors.ts';
import { compressionType } from '../codecs/codecs.ts';
import { type Connection, createProducer } from '../internals/cluster.ts';
import {
  allSettled,
  byPartition,
  chunksOf,
  type PartitionBatch,
  REQUEST_BYTES,
  requireAppended,
  sendTimed,
} from './messages.ts';

/** Options of a Kafka sink beyond those of the client. */
export interface KafkaSinkOptions extends KafkaOptions {
  /** How long records are retried while the cluster is unavailable, in milliseconds. Default 120,000. */
  readonly deliveryTimeoutMs?: number;
}

/** How long queued records may still be delivered after `close`. */
const CLOSE_TIMEOUT_MS = 10_000;

interface Delivery {
  readonly records: readonly OutputRecord[];
  readonly bytes: number;
  readonly deadline: number;
  readonly resolve: () => void;
  readonly reject: (error: LogError) => void;
}

/**
 * Writes with acks=all and an idempotent producer, one request at a time, so retries keep the order. Records published
 * during a request go into the next one together. Keys map to partitions as in Kafka's Java client.
 *
 * `publish` rejects with `topic_missing`, `record_too_large`, `not_authorized`, or `broker_unreachable` once
 * `deliveryTimeoutMs` has passed; records before the failing one may have been written.
 */
export function createKafkaSink(options: KafkaSinkOptions): RecordSink {
  return new KafkaSink(options);
}

class KafkaSink implements RecordSink {
  readonly #options: KafkaSinkOptions;
  readonly #queue: Delivery[] = [];
  #state: 'new' | 'open' | 'closed' = 'new';
  #closesAt = Number.POSITIVE_INFINITY;
  #connection: Connection | undefined;
  #pumping: Promise<void> | undefined;

  constructor(options: KafkaSinkOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    if (this.#state === 'closed') throw sinkNotOpen();
    await withAdmin(this.#options, 'write', async () => {
      await this.#connected();
    });
    this.#state = 'open';
  }

  publish(records: readonly OutputRecord[]): Promise<void> {
    if (this.#state !== 'open') return Promise.reject(sinkNotOpen());
    if (records.length === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const bytes = records.reduce((sum, record) => sum + sizeOf(record), 0);
      const deadline = performance.now() + (this.#options.deliveryTimeoutMs ?? 120_000);
      this.#queue.push({ records, bytes, deadline, resolve, reject });
      this.#pumping ??= this.#pump();
    });
  }

  async close(): Promise<void> {
    this.#state = 'closed';
    this.#closesAt = performance.now() + CLOSE_TIMEOUT_MS;
    await this.#pumping;
    await this.#connection?.producer.disconnect().catch(() => undefined);
    this.#connection = undefined;
  }

  async #pump(): Promise<void> {
    // Records published in the same turn of the event loop go into one request.
    await Promise.resolve();
    for (let group = this.#nextGroup(); group.length > 0; group = this.#nextGroup()) {
      await this.#deliver(group);
    }
    this.#pumping = undefined;
  }

  /** The oldest deliveries that fit one request, at least one. */
  #nextGroup(): Delivery[] {
    let bytes = 0;
    const end = this.#queue.findIndex((delivery, index) => {
      bytes += delivery.bytes;
      return index > 0 && bytes > REQUEST_BYTES;
    });
    return this.#queue.splice(0, end === -1 ? this.#queue.length : end);
  }

  /** Settles every delivery of the group; a rejected one does not fail the others. */
  async #deliver(group: readonly Delivery[]): Promise<void> {
    const deadline = Math.min(...group.map((delivery) => delivery.deadline));
    try {
      for (const chunk of chunksOf(group.flatMap(({ records }) => records)))
        await this.#send(chunk, deadline);
      for (const { resolve } of group) resolve();
    } catch (error) {
      const failure = toLogError(error, { brokers: this.#options.brokers, doing: 'write' });
      const [first] = group;
      if (group.length === 1) first?.reject(failure);
      else if (failure.code === 'broker_unreachable') for (const { reject } of group) reject(failure);
      else for (const delivery of group) await this.#deliver([delivery]);
    }
  }

  /** Sends the records, retrying those not yet written while the cluster is unavailable. */
  async #send(records: readonly OutputRecord[], deadline: number): Promise<void> {
    let left: Set<PartitionBatch> | undefined;
    const compression = compressionType(this.#options.compression);
    for (let attempt = 0; ; attempt += 1) {
      try {
        const { producer, cluster } = await this.#connected();
        left ??= new Set(await byPartition(cluster, records));
        // Errors of `sendBatch` come first: only the same producer can resolve their unknown outcome.
        let unwritten: LogError | undefined;
        await allSettled(
          Array.from(left, async (batch) => {
            const answers = await sendTimed(batch, (timed) =>
              producer.sendBatch({ acks: -1, compression, topicMessages: [timed] }),
            );
            try {
              requireAppended(batch, answers, 0);
              left?.delete(batch);
            } catch (error) {
              unwritten = error as LogError;
            }
          }),
        );
        if (unwritten !== undefined) throw unwritten;
        return;
      } catch (error) {
        // A failed producer reuses its sequence numbers: brokers would drop other records under the same numbers as
        // duplicates. It may therefore only retry the same records.
        const retry = isTransient(error) || (needsNewProducer(error) && attempt === 0);
        if (!retry || needsNewProducer(error)) this.#dropProducer();
        const pauseMs = backoff(attempt, 100, 2_000);
        if (!retry || performance.now() + pauseMs >= Math.min(deadline, this.#closesAt)) {
          this.#dropProducer();
          throw this.#failure(error, records);
        }
        this.#options.log?.('warn', 'Producing failed; retrying', {
          attempt,
          pauseMs,
          error: messageOf(error),
        });
        await delay(pauseMs);
      }
    }
  }

  #failure(error: unknown, records: readonly OutputRecord[]): LogError {
    const topics = [...new Set(records.map(({ topic }) => topic))];
    const doing = `write ${records.length} record${records.length === 1 ? '' : 's'} to ${topics.join(', ')}`;
    return toLogError(error, { brokers: this.#options.brokers, doing, topics });
  }

  async #connected(): Promise<Connection> {
    if (this.#connection !== undefined) return this.#connection;
    const connection = createProducer(createKafkaClient(this.#options), {
      allowAutoTopicCreation: false,
      createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
      idempotent: true,
      retry: { initialRetryTime: 100, maxRetryTime: 1_000, retries: 3 },
    });
    try {
      await connection.producer.connect();
    } catch (error) {
      await connection.producer.disconnect().catch(() => undefined);
      throw error;
    }
    this.#connection = connection;
    return connection;
  }

  #dropProducer(): void {
    void this.#connection?.producer.disconnect().catch(() => undefined);
    this.#connection = undefined;
  }
}
