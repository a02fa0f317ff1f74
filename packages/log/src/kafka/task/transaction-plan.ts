import { delay } from '@loopwatch/platform';
import type { Kafka } from 'kafkajs';
import { isConcurrent } from '../client/errors.ts';
import { type KafkaBroker, type KafkaCluster, onClusters } from '../internals/cluster.ts';
import { type Lot, requireAnswered, type TopicPartitions } from '../produce/messages.ts';

interface AddPartitions {
  readonly transactionalId: string;
  readonly producerId: string;
  readonly producerEpoch: number;
  readonly topics: readonly TopicPartitions[];
}

interface AddPartitionsAnswer {
  readonly errors: readonly { readonly topic: string; readonly partitionErrors: readonly Partition[] }[];
}

/** A request and its answer alike. */
interface OffsetCommit {
  readonly topics: readonly { readonly topic: string; readonly partitions: readonly Partition[] }[];
}

interface Partition {
  readonly partition: number;
}

/** Who keeps a transaction or a group's offsets. */
interface Coordinator extends KafkaBroker {
  isConnected(): boolean;
  addPartitionsToTxn(request: AddPartitions): Promise<AddPartitionsAnswer>;
  addOffsetsToTxn(request: object): Promise<unknown>;
  txnOffsetCommit(request: OffsetCommit): Promise<OffsetCommit>;
  endTxn(request: object): Promise<unknown>;
}

const concurrentTries = 400;

/**
 * Fewer requests for a transaction of kafkajs. It asks who the coordinator is before each request, and adds the partitions
 * to the transaction one leader after the other, while a coordinator that is busy with one refuses the next. With a plan
 * the coordinators that were found are kept until one fails, all partitions are added at once by the first that writes, and
 * a transaction begins as soon as the one before has ended everywhere.
 *
 * For a producer with one transaction at a time.
 */
export class TransactionPlan {
  #planned: readonly TopicPartitions[] = [];
  #added: Promise<unknown> | undefined;

  /** Goes for the producers that the client makes from now on. */
  constructor(client: Kafka) {
    onClusters(client, (cluster) => this.#keepCoordinators(cluster));
  }

  /** To be called when a transaction has begun, with all that will be written in it. */
  begin(lots: readonly Lot[]): void {
    const topics = new Map<string, Set<number>>();
    for (const { topic, partition } of lots)
      topics.set(topic, (topics.get(topic) ?? new Set<number>()).add(partition));
    this.#planned = Array.from(topics, ([topic, partitions]) => ({ topic, partitions: [...partitions] }));
    this.#added = undefined;
  }

  #keepCoordinators(cluster: KafkaCluster): void {
    const known = new Map<string, Promise<Coordinator>>();
    const find = cluster.findGroupCoordinator.bind(cluster);
    const guarded = async (which: Parameters<typeof find>[0]) =>
      this.#guarded((await find(which)) as Coordinator, () => known.clear());
    cluster.findGroupCoordinator = async (which) => {
      const key = `${which.coordinatorType ?? 0}/${which.groupId}`;
      const kept = await known.get(key)?.catch(() => undefined);
      if (kept?.isConnected()) return kept;
      const found = guarded(which);
      known.set(key, found);
      return found;
    };
  }

  /** The coordinator, but forgotten once it has failed: another one may have taken its place. */
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
      addOffsetsToTxn: guard((request: object) => onceEnded(() => broker.addOffsetsToTxn(request))),
      txnOffsetCommit: guard((request: OffsetCommit) => commitOffsets(broker, request)),
      endTxn: guard((request: object) => broker.endTxn(request)),
    };
    return Object.assign(Object.create(broker) as Coordinator, methods);
  }

  #add(broker: Coordinator, request: AddPartitions): Promise<unknown> {
    const all = { ...request, topics: this.#planned };
    this.#added ??= onceEnded(() => addPartitions(broker, all)).catch((error: unknown) => {
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
  requireAnswered('that the transaction covers what is written', request.topics, answered);
}

async function commitOffsets(broker: Coordinator, request: OffsetCommit): Promise<void> {
  const answer = await broker.txnOffsetCommit(request);
  requireAnswered('the position', committed(request), committed(answer));
}

function committed({ topics }: OffsetCommit): TopicPartitions[] {
  return topics.map(({ topic, partitions }) => ({ topic, partitions: numbers(partitions) }));
}

function numbers(partitions: readonly Partition[]): number[] {
  return partitions.map(({ partition }) => partition);
}

/** The brokers may still be writing the markers of the transaction before; a new one can begin a moment later. */
async function onceEnded(begin: () => Promise<unknown>): Promise<unknown> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await begin();
    } catch (error) {
      if (!isConcurrent(error) || attempt >= concurrentTries) throw error;
      await delay(Math.min(1 + attempt, 50));
    }
  }
}
