import { backoff, messageOf } from '@loopwatch/contract';
import { delay } from '@loopwatch/platform';
import type { Fetched, TopicPartition } from '../../port/task.ts';
import {
  startOffset,
  type TopicHandler,
  type TopicReader,
  type TopicReadOptions,
} from '../../port/topic-reader.ts';
import { type KafkaOptions, requireTopics, withAdmin } from '../client/client.ts';
import { isTransient, toLogError } from '../client/errors.ts';
import { connectTimeoutOf } from '../client/options.ts';
import { createKafkaCluster, type KafkaCluster } from '../internals/cluster.ts';
import { topicIdOf } from '../internals/topic-id.ts';
import { KafkaFetcher } from './fetcher.ts';
import { listBounds } from './offsets.ts';

const MIB = 1024 * 1024;
/** How often a reader looks for partitions that were added, ms. */
const NEW_PARTITIONS_MS = 30_000;

/** The offsets of a partition to read before the reader has caught up. */
interface Stretch {
  readonly topicPartition: TopicPartition;
  readonly topicId: string | undefined;
  readonly first: number;
  readonly end: number;
}

export interface KafkaTopicReaderOptions extends KafkaOptions {
  readonly topic: string;
  /** How often to look for partitions that were added, ms. Default 30,000. */
  readonly newPartitionsMs?: number;
}

/** Reads a topic without a consumer group, read committed, and stores nothing on the brokers. */
export function createKafkaTopicReader(options: KafkaTopicReaderOptions): TopicReader {
  return new KafkaTopicReader(options);
}

class KafkaTopicReader implements TopicReader {
  readonly #options: KafkaTopicReaderOptions;
  readonly #cluster: KafkaCluster;
  readonly #stopping = new AbortController();
  #fetcher: KafkaFetcher | undefined;
  /** Each partition that is read, until its end. */
  readonly #reads = new Map<number, Promise<void>>();
  #looking: Promise<void> = Promise.resolve();

  constructor(options: KafkaTopicReaderOptions) {
    this.#options = options;
    this.#cluster = createKafkaCluster(options);
  }

  async run(handler: TopicHandler, options: TopicReadOptions = {}): Promise<void> {
    const { topic, brokers } = this.#options;
    const doing = `read ${topic}`;
    await withAdmin(this.#options, doing, (admin) => requireTopics(admin, [topic], brokers));
    const deadline = performance.now() + connectTimeoutOf(this.#options);
    for (let attempt = 0; ; attempt += 1) {
      try {
        await this.#follow(handler, options);
        return;
      } catch (error) {
        this.#fetcher?.close();
        // A cluster that has just started is reachable before its partitions have leaders.
        const { signal } = this.#stopping;
        if (!isTransient(error) || signal.aborted || performance.now() >= deadline)
          throw toLogError(error, { brokers, doing, topics: [topic] });
        await delay(backoff(attempt, 250, 2_000), signal);
        await this.#cluster.refreshMetadata().catch(() => undefined);
      }
    }
  }

  async #follow(handler: TopicHandler, options: TopicReadOptions): Promise<void> {
    const { topic } = this.#options;
    await this.#cluster.connect();
    await this.#cluster.addMultipleTargetTopics([topic]);
    const partitions = this.#partitions();
    // All offsets before the first record: what fails here is tried again, and no record may be passed on twice.
    const stretches = await Promise.all(
      partitions.map((partition) => this.#locate({ topic, partition }, options)),
    );
    const fetcher = this.#newFetcher(options);
    this.#fetcher = fetcher;
    const reads = await Promise.all(stretches.map((stretch) => this.#start(fetcher, stretch, handler)));
    options.onConnection?.('up');
    this.#looking = this.#lookForPartitions(fetcher, handler, options);
    if (options.resolveWhen !== 'started') await Promise.all(reads.map(({ caughtUp }) => caughtUp));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#fetcher?.close();
    await this.#looking;
    await Promise.all(this.#reads.values());
    await this.#cluster.disconnect().catch(() => undefined);
  }

  #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  #partitions(): number[] {
    return this.#cluster
      .findTopicPartitionMetadata(this.#options.topic)
      .map(({ partitionId }) => partitionId);
  }

  /** Reads partitions that are added to the topic, too. */
  async #lookForPartitions(
    fetcher: KafkaFetcher,
    handler: TopicHandler,
    options: TopicReadOptions,
  ): Promise<void> {
    const { topic, newPartitionsMs = NEW_PARTITIONS_MS, log } = this.#options;
    const { signal } = this.#stopping;
    for (;;) {
      await delay(newPartitionsMs, signal);
      if (this.#isStopping()) return;
      try {
        await this.#cluster.refreshMetadata();
        for (const partition of this.#partitions().filter((one) => !this.#reads.has(one))) {
          const stretch = await this.#locate({ topic, partition }, options);
          if (this.#isStopping()) return;
          await this.#start(fetcher, stretch, handler);
          log?.('info', 'Reading a partition that was added', { topic, partition });
        }
      } catch {
        // The fetcher reports outages; the next look finds the partition.
      }
    }
  }

  #newFetcher({ from, onConnection }: TopicReadOptions): KafkaFetcher {
    const limits = { maxWaitMs: 500, maxBytes: 4 * MIB, maxBytesPerPartition: MIB };
    return new KafkaFetcher(this.#cluster, {
      ...limits,
      log: this.#options.log,
      ...(onConnection !== undefined && { onConnection }),
      resumeAt: (topicPartition, bounds) => startOffset(topicPartition, bounds, from),
    });
  }

  async #locate(topicPartition: TopicPartition, { from }: TopicReadOptions): Promise<Stretch> {
    const topicId = await topicIdOf(this.#cluster, topicPartition);
    const bounds = { ...(await listBounds(this.#cluster, topicPartition)), topicId };
    const first = await startOffset(topicPartition, bounds, from);
    return { topicPartition, topicId, first, end: bounds.end };
  }

  /** `caughtUp` resolves at the partition's current end offset; reading continues until it is stopped. */
  async #start(
    fetcher: KafkaFetcher,
    { topicPartition, topicId, first, end }: Stretch,
    handler: TopicHandler,
  ): Promise<{ caughtUp: Promise<void> }> {
    const { topic, partition } = topicPartition;
    const stream = await fetcher.open(topic, partition, first, topicId);
    const caughtUp = new Promise<void>((resolve) => {
      const follow = async (): Promise<void> => {
        for (let next = first; ; ) {
          if (next >= end) resolve();
          const fetched = await stream.next();
          if (fetched === undefined) return;
          ({ next } = fetched);
          await this.#handle(handler, topicPartition, fetched);
        }
      };
      const ended = follow()
        .catch((error: unknown) => {
          const { log } = this.#options;
          log?.('error', 'Reading the topic failed; not retried', {
            ...topicPartition,
            error: messageOf(error),
          });
        })
        .then(resolve);
      this.#reads.set(partition, ended);
    });
    return { caughtUp };
  }

  /** Retries until the handler succeeds or reading is stopped. */
  async #handle(
    handler: TopicHandler,
    topicPartition: TopicPartition,
    { records, next, lag }: Fetched,
  ): Promise<void> {
    const { signal } = this.#stopping;
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        await handler({ ...topicPartition, records, next, lag });
        return;
      } catch (error) {
        const pauseMs = backoff(failures, 100, 5_000);
        const failure = { failuresInARow: failures + 1, pauseMs, error: messageOf(error) };
        this.#options.log?.('error', 'Handling records failed; retrying', { ...topicPartition, ...failure });
        await delay(pauseMs, signal);
      }
    }
  }
}
