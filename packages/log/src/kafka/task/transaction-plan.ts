import { delay } from '@loopwatch/platform';
import type { Kafka } from 'kafkajs';
import { isConcurrent } from '../client/errors.ts';
import { type KafkaBroker, type KafkaCluster, onClusters } from '../internals/cluster.ts';
import { type PartitionBatch, requireAnswered, type TopicPartitions } from '../produce/messages.ts';

interface AddPartitions {
  readonly transactionalId: string;
  readonly producerId: string;
  readonly producerEpoch: number;
  readonly topics: readonly TopicPartitions[];
}

interface AddPartitionsAnswer {
  readonly errors: readonly { readonly topic: string; readonly partitionErrors: readonly Partition[] }[];
}

/** The shape of both the request and its response. */
interface OffsetCommit {
  readonly topics: readonly { readonly topic: string; readonly partitions: readonly Partition[] }[];
}

interface Partition {
  readonly partition: number;
}

/** The broker that coordinates a transaction or a consumer group. */
interface Coordinator extends KafkaBroker {
  isConnected(): boolean;
  addPartitionsToTxn(request: AddPartitions): Promise<AddPartitionsAnswer>;
  addOffsetsToTxn(request: object): Promise<unknown>;
  txnOffsetCommit(request: OffsetCommit): Promise<OffsetCommit>;
  endTxn(request: object): Promise<unknown>;
}

const concurrentTries = 400;

/**
 * Reduces the requests that kafkajs sends for a transaction. kafkajs looks up the coordinator before each request and adds
 * partitions to the transaction leader by leader, while the coordinator rejects concurrent additions. With a plan,
 * coordinators are cached until one fails, the first write adds all partitions at once, and a transaction begins as soon as
 * the previous one has ended on all brokers.
 *
 * Supports one transaction at a time per producer.
 */
export class TransactionPlan {
  #planned: readonly TopicPartitions[] = [];
  #added: Promise<unknown> | undefined;

  /** Applies to producers that the client creates afterwards. */
  constructor(client: Kafka) {
    onClusters(client, (cluster) => this.#cacheCoordinators(cluster));
  }

  /** Call it when a transaction has begun, with everything that will be written in it. */
  begin(batches: readonly PartitionBatch[]): void {
    const topics = new Map<string, Set<number>>();
    for (const { topic, partition } of batches)
      topics.set(topic, (topics.get(topic) ?? new Set<number>()).add(partition));
    this.#planned = Array.from(topics, ([topic, partitions]) => ({ topic, partitions: [...partitions] }));
    this.#added = undefined;
  }

  #cacheCoordinators(cluster: KafkaCluster): void {
    const known = new Map<string, Promise<Coordinator>>();
    const find = cluster.findGroupCoordinator.bind(cluster);
    const guarded = async (which: Parameters<typeof find>[0]) =>
      this.#guarded((await find(which)) as Coordinator, () => known.clear());
    cluster.findGroupCoordinator = async (which) => {
      const key = `${which.coordinatorType ?? 0}/${which.groupId}`;
      const cached = await known.get(key)?.catch(() => undefined);
      if (cached?.isConnected()) return cached;
      const found = guarded(which);
      known.set(key, found);
      return found;
    };
  }

  /** Clears the cache when the coordinator fails, because another broker may have taken over. */
  #guarded(broker: Coordinator, forget: () => void): Coordinator {
    const guard =
      <R>(call: (request: R) => Promise<unknown>) =>
      async (request: R): Promise<unknown> => {
        try {
          return await call(request);
        } catch (error) {
          forget();
          throw error;
        }
      };
    const methods = {
      addPartitionsToTxn: guard((request: AddPartitions) => this.#add(broker, request)),
      addOffsetsToTxn: guard((request: object) => retryConcurrent(() => broker.addOffsetsToTxn(request))),
      txnOffsetCommit: guard((request: OffsetCommit) => commitOffsets(broker, request)),
      endTxn: guard((request: object) => broker.endTxn(request)),
    };
    return Object.assign(Object.create(broker) as Coordinator, methods);
  }

  #add(broker: Coordinator, request: AddPartitions): Promise<unknown> {
    const all = { ...request, topics: this.#planned };
    this.#added ??= retryConcurrent(() => addPartitions(broker, all)).catch((error: unknown) => {
      this.#added = undefined;
      throw error;
    });
    return this.#added;
  }
}

async function addPartitions(broker: Coordinator, request: AddPartitions): Promise<void> {
  const { errors } = await broker.addPartitionsToTxn(request);
  const answered = errors.map(({ topic, partitionErrors }) => ({
    topic,
    partitions: numbers(partitionErrors),
  }));
  requireAnswered('adding partitions to the transaction', request.topics, answered);
}

async function commitOffsets(broker: Coordinator, request: OffsetCommit): Promise<void> {
  const answer = await broker.txnOffsetCommit(request);
  requireAnswered('the offset commit', committed(request), committed(answer));
}

function committed({ topics }: OffsetCommit): TopicPartitions[] {
  return topics.map(({ topic, partitions }) => ({ topic, partitions: numbers(partitions) }));
}

function numbers(partitions: readonly Partition[]): number[] {
  return partitions.map(({ partition }) => partition);
}

/** Brokers may still be writing the previous transaction's markers; a new one can begin a moment later. */
async function retryConcurrent(begin: () => Promise<unknown>): Promise<unknown> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await begin();
    } catch (error) {
      if (!isConcurrent(error) || attempt >= concurrentTries) throw error;
      await delay(Math.min(1 + attempt, 50));
    }
  }
}
