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
  type Lot,
  type RoutedRecord,
  requireAppended,
} from '../produce/messages.ts';
import { TransactionPlan } from './transaction-plan.ts';

/** Writes the steps of one partition to Kafka. */
export interface StepWriter {
  /** Fences the partition's previous owner. To be called before the committed position is read. */
  open(): Promise<void>;
  /** @throws what kafkajs throws; the committed position then tells whether the step is durable */
  write(step: Step): Promise<void>;
  close(): Promise<void>;
}

export interface StepWriterOptions {
  readonly place: TopicPartition;
  readonly groupId: string;
  /** State changes as records of the state topic. */
  readonly stateRecords: (changes: Step['state']) => readonly RoutedRecord[];
}

/** A worker that dies in a transaction blocks read-committed readers until its partition has a new owner, or for this long. */
const transactionTimeoutMs = 30_000;
/** How often a partition without a leader is asked where it ends: about as long as kafkajs tries to write to it. */
const endTries = 20;

/**
 * Writes outputs, state and position of a step in one transaction. The transactional id belongs to the partition: its next
 * owner aborts an open transaction of the previous one and fences it.
 */
export class TransactionalStepWriter implements StepWriter {
  readonly #options: StepWriterOptions;
  readonly #producer: Producer;
  readonly #cluster: KafkaCluster;
  readonly #plan: TransactionPlan;
  /** Where the partitions end at least that were written to, by topic and number. */
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
      // An open transaction of another owner has to end first, which takes a moment.
      retry: { initialRetryTime: 20, maxRetryTime: 500, factor: 0, multiplier: 1.5, retries: 20 },
    });
    this.#producer = producer;
    this.#cluster = cluster;
  }

  async open(): Promise<void> {
    await this.#producer.connect();
    // The first transaction asks for the producer's id, which is what shuts out the owner before.
    const transaction = await this.#producer.transaction();
    await transaction.abort();
  }

  async write(step: Step): Promise<void> {
    const { groupId, place, stateRecords } = this.#options;
    const { topic, partition } = place;
    const transaction = await this.#producer.transaction();
    try {
      const chunks: Lot[][] = [];
      for (const records of chunksOf([...step.outputs, ...stateRecords(step.state)]))
        chunks.push(await byPartition(this.#cluster, records));
      this.#plan.begin(chunks.flat());
      const position = { partition, offset: String(step.position), metadata: metadataOf(step) };
      // Neither is seen before the commit, so neither waits for the other.
      await allSettled([
        this.#send(transaction, chunks),
        transaction.sendOffsets({ consumerGroupId: groupId, topics: [{ topic, partitions: [position] }] }),
      ]);
      await transaction.commit();
    } catch (error) {
      // If that fails too, whoever opens the partition next ends it.
      if (transaction.isActive()) await transaction.abort();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#producer.disconnect().catch(() => undefined);
  }

  async #send(transaction: Transaction, chunks: readonly Lot[][]): Promise<void> {
    for (const lots of chunks) await allSettled(lots.map((lot) => this.#sendLot(transaction, lot)));
  }

  async #sendLot(transaction: Transaction, lot: Lot): Promise<void> {
    const place = `${lot.topic}/${lot.partition}`;
    const end = this.#ends.get(place) ?? (await this.#endOf(lot));
    const answers = await transaction.sendBatch({ acks: -1, topicMessages: [lot] });
    this.#ends.set(place, requireAppended(lot, answers, end));
  }

  /** Where a partition ends for those who read all there is, which is what a producer's cluster does. */
  async #endOf({ topic, partition }: Lot): Promise<number> {
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
 * Outputs, then kept state, then the position: what fails in between comes again, with the same ids. The state follows
 * the outputs it already knows of, so none is missing.
 */
export class PlainStepWriter implements StepWriter {
  readonly #options: StepWriterOptions;
  readonly #sink: Pick<RecordSink, 'publish'>;
  readonly #commit: (offset: TopicPartition & { offset: string; metadata: string }) => Promise<void>;

  /** @param commit commits as the group's present member; rejects when it is none any more */
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
    await this.#sink.publish(this.#options.stateRecords(step.state));
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
  /** From where on records are needed to rebuild what the task had in memory; `undefined` when another client committed. */
  readonly resumeFrom: number | undefined;
}

/** What is committed beside an offset: brokers keep up to 4,096 bytes of text. */
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

/** An offset set by hand has another text or none: what was kept does not belong to it. */
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
