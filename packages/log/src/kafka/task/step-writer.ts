import { backoff, delay } from '@loopwatch/platform';
import kafkajs, { type Producer, type Transaction } from 'kafkajs';
import type { RecordSink } from '../../port/records.ts';
import type { Step, TopicPartition } from '../../port/task.ts';
import { createKafkaClient, type KafkaOptions } from '../client/client.ts';
import { listOffset } from '../fetch/offsets.ts';
import { createProducer, type KafkaCluster } from '../internals/cluster.ts';
import {
  allSettled,
  byPartition,
  chunksOf,
  type PartitionBatch,
  requireAppended,
} from '../produce/messages.ts';
import type { KafkaState } from './state.ts';
import { TransactionPlan } from './transaction-plan.ts';

/** Writes the steps of one partition to Kafka. */
export interface StepWriter {
  /** Fences the partition's previous owner. Call it before reading the committed position. */
  open(): Promise<void>;
  /** @throws errors of kafkajs; the committed position then shows whether the step is durable */
  write(step: Step): Promise<void>;
  close(): Promise<void>;
}

export interface StepWriterOptions {
  readonly place: TopicPartition;
  readonly groupId: string;
  readonly state: Pick<KafkaState, 'records'>;
}

/** A worker that dies in a transaction blocks read-committed readers until its partition has a new owner, at most this long. */
const transactionTimeoutMs = 30_000;
/** Attempts to list the end offset of a partition without a leader; they last about as long as kafkajs retries a write. */
const endTries = 20;

/**
 * Writes outputs, state and position of a step in one transaction. Each partition has its own transactional id: the next
 * owner aborts the previous owner's open transaction and fences it.
 */
export class TransactionalStepWriter implements StepWriter {
  readonly #options: StepWriterOptions;
  readonly #producer: Producer;
  readonly #cluster: KafkaCluster;
  readonly #plan: TransactionPlan;
  /** Lower bounds for the end offsets of the partitions written so far, by `topic/partition`. */
  readonly #ends = new Map<string, number>();

  constructor(options: KafkaOptions, step: StepWriterOptions) {
    this.#options = step;
    const { groupId, place } = step;
    const client = createKafkaClient(options);
    this.#plan = new TransactionPlan(client);
    const { producer, cluster } = createProducer(client, {
      transactionalId: `${groupId}/${place.topic}/${place.partition}`,
      transactionTimeout: transactionTimeoutMs,
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

  async open(): Promise<void> {
    await this.#producer.connect();
    // The first transaction requests a producer id, which fences the previous owner.
    const transaction = await this.#producer.transaction();
    await transaction.abort();
  }

  async write(step: Step): Promise<void> {
    const { groupId, place, state } = this.#options;
    const { topic, partition } = place;
    const transaction = await this.#producer.transaction();
    try {
      const chunks: PartitionBatch[][] = [];
      const { outputs, state: changes } = step;
      for (const records of chunksOf(
        changes.length === 0 ? outputs : [...outputs, ...state.records(changes)],
      ))
        chunks.push(await byPartition(this.#cluster, records));
      this.#plan.begin(chunks.flat());
      const position = { partition, offset: String(step.position), metadata: metadataOf(step) };
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
    const place = `${batch.topic}/${batch.partition}`;
    const end = this.#ends.get(place) ?? (await this.#endOf(batch));
    const answers = await transaction.sendBatch({ acks: -1, topicMessages: [batch] });
    this.#ends.set(place, requireAppended(batch, answers, end));
  }

  /** The end offset including uncommitted records, because a producer's cluster reads uncommitted. */
  async #endOf({ topic, partition }: PartitionBatch): Promise<number> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await listOffset(this.#cluster, topic, partition, false);
      } catch (error) {
        if (attempt === endTries) throw error;
        await delay(backoff(attempt, 20, 500));
        await this.#cluster.refreshMetadata().catch(() => undefined);
      }
    }
  }
}

/**
 * Writes the outputs, then the saved state, then the position: after a failure in between, the outputs are written again
 * with the same ids. The state is written after the outputs it refers to, so none of them can be missing.
 */
export class PlainStepWriter implements StepWriter {
  readonly #options: StepWriterOptions;
  readonly #sink: Pick<RecordSink, 'publish'>;
  readonly #commit: (offset: TopicPartition & { offset: string; metadata: string }) => Promise<void>;

  /** @param commit commits as the current group member; rejects once this process is no longer one */
  constructor(
    sink: Pick<RecordSink, 'publish'>,
    commit: (offset: TopicPartition & { offset: string; metadata: string }) => Promise<void>,
    options: StepWriterOptions,
  ) {
    this.#sink = sink;
    this.#commit = commit;
    this.#options = options;
  }

  open(): Promise<void> {
    return Promise.resolve();
  }

  async write(step: Step): Promise<void> {
    await this.#sink.publish(step.outputs);
    await this.#sink.publish(this.#options.state.records(step.state));
    const { topic, partition } = this.#options.place;
    await this.#commit({ topic, partition, offset: String(step.position), metadata: metadataOf(step) });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** What a group has committed for a partition. */
export interface CommittedPosition {
  /** The offset of the next record to process. */
  readonly position: number;
  /** The offset to replay from to rebuild the task's memory; `undefined` when another client committed the offset. */
  readonly resumeFrom: number | undefined;
}

/** The metadata committed with an offset; brokers store up to 4,096 bytes. */
export function metadataOf({ resumeFrom }: Pick<Step, 'resumeFrom'>): string {
  return JSON.stringify({ v: 1, resumeFrom });
}

/** @returns `undefined` when the group has committed nothing for the partition */
export async function committedPosition(
  cluster: KafkaCluster,
  groupId: string,
  { topic, partition }: TopicPartition,
): Promise<CommittedPosition | undefined> {
  const coordinator = await cluster.findGroupCoordinator({ groupId });
  const { responses } = await coordinator.offsetFetch({
    groupId,
    topics: [{ topic, partitions: [{ partition }] }],
  });
  const found = responses[0]?.partitions[0];
  const position = Number(found?.offset ?? -1);
  if (found === undefined || position < 0) return undefined;
  return { position, resumeFrom: resumeFromOf(found.metadata) };
}

/** An offset set by hand has other metadata or none, and the saved state does not belong to it. */
function resumeFromOf(metadata: string | null): number | undefined {
  try {
    const value: unknown = JSON.parse(metadata ?? '');
    if (typeof value !== 'object' || value === null || !('resumeFrom' in value)) return undefined;
    const { resumeFrom } = value;
    return typeof resumeFrom === 'number' && Number.isSafeInteger(resumeFrom) && resumeFrom >= 0
      ? resumeFrom
      : undefined;
  } catch {
    return undefined;
  }
}
