import { delay } from '@loopwatch/platform';
import kafkajs, { type CompressionTypes, type Kafka, type Producer, type Transaction } from 'kafkajs';
import { toMark } from '../../port/committed-mark.ts';
import type { Step, StepPosition, TopicPartition } from '../../port/task.ts';
import { createKafkaClient, type KafkaOptions } from '../client/client.ts';
import { isConcurrent } from '../client/errors.ts';
import { timeouts } from '../client/timeouts.ts';
import { compressionType } from '../codecs/codecs.ts';
import { endOffset } from '../fetch/offsets.ts';
import {
  type AddPartitions,
  type Coordinator,
  createProducer,
  type KafkaCluster,
  type OffsetCommit,
  onClusters,
  type TopicPartitions,
} from '../internals/cluster.ts';
import {
  allSettled,
  byPartition,
  chunksOf,
  type PartitionBatch,
  requireAnswered,
  requireAppended,
  sendTimed,
} from '../produce/messages.ts';
import type { KafkaState } from './state.ts';

/** Writes the steps of one partition to Kafka. */
export interface StepWriter {
  /**
   * Fences the partition's previous owner. Call it before reading the committed position.
   *
   * @param topicId is stored with each position
   */
  open(topicId?: string): Promise<void>;
  /**
   * @param previous what is committed already, if the saved state belongs to it
   * @throws errors of kafkajs; the committed position then shows whether the step is durable
   */
  write(step: Step, previous?: StepPosition): Promise<void>;
  close(): Promise<void>;
}

export interface StepWriterOptions {
  readonly topicPartition: TopicPartition;
  readonly groupId: string;
  readonly state: Pick<KafkaState, 'records'>;
}

/** Attempts to begin a transaction while the previous one is still ending. */
const CONCURRENT_TRIES = 400;

/**
 * Writes outputs, state and position of a step in one transaction. Each partition has its own transactional id: the next
 * owner aborts the previous owner's open transaction and fences it.
 */
export class TransactionalStepWriter implements StepWriter {
  readonly #options: StepWriterOptions;
  readonly #compression: CompressionTypes;
  readonly #producer: Producer;
  readonly #cluster: KafkaCluster;
  readonly #plan: TransactionPlan;
  /** Lower bounds for the end offsets of the partitions written so far, by `topic/partition`. */
  readonly #ends = new Map<string, number>();
  #topicId: string | undefined;

  constructor(options: KafkaOptions, step: StepWriterOptions) {
    this.#options = step;
    this.#compression = compressionType(options.compression);
    const { groupId, topicPartition } = step;
    const client = createKafkaClient(options);
    this.#plan = new TransactionPlan(client);
    const { producer, cluster } = createProducer(client, {
      transactionalId: `${groupId}/${topicPartition.topic}/${topicPartition.partition}`,
      // A worker that dies in a transaction blocks read-committed readers until its partition has a new owner, at most this long.
      transactionTimeout: timeouts.transaction,
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
      // Another owner's open transaction has to end first, which takes a moment.
      retry: { initialRetryTime: 20, maxRetryTime: 500, factor: 0, multiplier: 1.5, retries: 20 },
    });
    this.#producer = producer;
    this.#cluster = cluster;
  }

  async open(topicId?: string): Promise<void> {
    this.#topicId = topicId;
    await this.#producer.connect();
    // The first transaction requests a producer id, which fences the previous owner.
    const transaction = await this.#producer.transaction();
    await transaction.abort();
  }

  async write(step: Step): Promise<void> {
    const { groupId, topicPartition, state } = this.#options;
    const { topic, partition } = topicPartition;
    const transaction = await this.#producer.transaction();
    try {
      const chunks: PartitionBatch[][] = [];
      const { outputs, state: changes } = step;
      for (const records of chunksOf(
        changes.length === 0 ? outputs : [...outputs, ...state.records(changes)],
      ))
        chunks.push(await byPartition(this.#cluster, records));
      this.#plan.begin(chunks.flat());
      const position = {
        partition,
        offset: String(step.position),
        metadata: metadataOf(step, this.#topicId),
      };
      // Neither is visible before the commit, so they can run in parallel.
      await allSettled([
        this.#send(transaction, chunks),
        transaction.sendOffsets({ consumerGroupId: groupId, topics: [{ topic, partitions: [position] }] }),
      ]);
      await transaction.commit();
    } catch (error) {
      // If the abort fails too, the partition's next owner aborts the transaction.
      if (transaction.isActive()) await transaction.abort();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#producer.disconnect().catch(() => undefined);
  }

  async #send(transaction: Transaction, chunks: readonly PartitionBatch[][]): Promise<void> {
    for (const batches of chunks)
      await allSettled(batches.map((batch) => this.#sendBatch(transaction, batch)));
  }

  async #sendBatch(transaction: Transaction, batch: PartitionBatch): Promise<void> {
    const partitionName = `${batch.topic}/${batch.partition}`;
    const end = this.#ends.get(partitionName) ?? (await endOffset(this.#cluster, batch));
    const compression = this.#compression;
    const answers = await sendTimed(batch, (timed) =>
      transaction.sendBatch({ acks: -1, compression, topicMessages: [timed] }),
    );
    this.#ends.set(partitionName, requireAppended(batch, answers, end));
  }
}

/**
 * Reduces the requests that kafkajs sends for a transaction. kafkajs looks up the coordinator before each request and adds
 * partitions to the transaction leader by leader, while the coordinator rejects concurrent additions. With a plan,
 * coordinators are cached until one fails, the first write adds all partitions at once, and a transaction begins as soon as
 * the previous one has ended on all brokers.
 *
 * Supports one transaction at a time per producer.
 */
class TransactionPlan {
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

function numbers(partitions: readonly { readonly partition: number }[]): number[] {
  return partitions.map(({ partition }) => partition);
}

/** Brokers may still be writing the previous transaction's markers; a new one can begin a moment later. */
async function retryConcurrent(begin: () => Promise<unknown>): Promise<unknown> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await begin();
    } catch (error) {
      if (!isConcurrent(error) || attempt >= CONCURRENT_TRIES) throw error;
      await delay(Math.min(1 + attempt, 50));
    }
  }
}

/** The metadata committed with an offset, which `committedPosition` reads; brokers store up to 4,096 bytes. */
export function metadataOf(position: StepPosition, topicId?: string): string {
  return JSON.stringify({ v: 1, ...toMark(position), topicId });
}
