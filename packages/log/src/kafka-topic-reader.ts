import { LogError, messageOf } from './errors.ts';
import type { KafkaOptions } from './kafka-client.ts';
import { requireTopics, withAdmin } from './kafka-client.ts';
import { createKafkaCluster, type KafkaCluster } from './kafka-cluster.ts';
import { toLogError } from './kafka-errors.ts';
import { KafkaFetcher, type PartitionStream } from './kafka-fetcher.ts';
import { listOffset } from './kafka-offsets.ts';
import type { LogRecord, TopicReader } from './ports.ts';

const mib = 1024 * 1024;

/** Reads a topic without a group, read committed: nothing to join, and nothing left behind on the brokers. */
export function createKafkaTopicReader(options: KafkaOptions & { readonly topic: string }): TopicReader {
  return new KafkaTopicReader(options);
}

class KafkaTopicReader implements TopicReader {
  readonly #options: KafkaOptions & { readonly topic: string };
  readonly #cluster: KafkaCluster;
  readonly #fetcher: KafkaFetcher;
  #following: Promise<unknown> = Promise.resolve();

  constructor(options: KafkaOptions & { readonly topic: string }) {
    this.#options = options;
    this.#cluster = createKafkaCluster(options);
    this.#fetcher = new KafkaFetcher(this.#cluster, {
      ...{ maxWaitMs: 500, maxBytes: 4 * mib, maxBytesPerPartition: mib, log: options.log },
    });
  }

  async run(handler: (records: readonly LogRecord[]) => void): Promise<void> {
    const { topic, brokers } = this.#options;
    const doing = `read ${topic}`;
    await withAdmin(this.#options, doing, (admin) => requireTopics(admin, [topic], brokers));
    try {
      await this.#cluster.connect();
      await this.#cluster.addMultipleTargetTopics([topic]);
      const partitions = this.#cluster
        .findTopicPartitionMetadata(topic)
        .map(({ partitionId }) => partitionId);
      await Promise.all(partitions.map((partition) => this.#catchUp(partition, handler)));
    } catch (error) {
      throw toLogError(error, { brokers, doing, topics: [topic] });
    }
  }

  async stop(): Promise<void> {
    this.#fetcher.close();
    await this.#following;
    await this.#cluster.disconnect().catch(() => undefined);
  }

  /** Resolves at the end that the partition had at the start; reading goes on. */
  async #catchUp(partition: number, handler: (records: readonly LogRecord[]) => void): Promise<void> {
    const { topic } = this.#options;
    const end = await listOffset(this.#cluster, topic, partition, false);
    const first = await listOffset(this.#cluster, topic, partition, true);
    const stream = await this.#fetcher.open(topic, partition, first);
    for (let next = first; next < end; ) {
      const fetched = await stream.next();
      if (fetched === undefined) throw new LogError('log_closed', `Reading ${topic} was stopped.`);
      if (fetched.records.length > 0) handler(fetched.records);
      next = fetched.next;
    }
    const { log } = this.#options;
    const following = this.#follow(stream, handler).catch((error: unknown) => {
      log?.('error', 'a topic cannot be read any further', { topic, partition, error: messageOf(error) });
    });
    this.#following = Promise.all([this.#following, following]);
  }

  async #follow(stream: PartitionStream, handler: (records: readonly LogRecord[]) => void): Promise<void> {
    for (let fetched = await stream.next(); fetched !== undefined; fetched = await stream.next()) {
      if (fetched.records.length > 0) handler(fetched.records);
    }
  }
}
