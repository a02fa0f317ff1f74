import type { Consumer, ConsumerCrashEvent, ConsumerGroupJoinEvent } from 'kafkajs';
import { LogError } from './errors.ts';
import { createKafkaClient, type KafkaOptions } from './kafka-client.ts';
import { KafkaCommits } from './kafka-commits.ts';
import { type DeliveryContext, KafkaDelivery } from './kafka-delivery.ts';
import type { BatchHandler, SourceObserver } from './ports.ts';

/** Options of a Kafka source beyond those of the client. */
export interface KafkaSourceOptions extends KafkaOptions {
  readonly topics: readonly string[];
  /** Members with the same group share the partitions; commits are kept under this name. */
  readonly groupId: string;
  /** How many partitions are handled at the same time. Default 4. */
  readonly partitionsConsumedConcurrently?: number;
  /** A member silent for this long loses its partitions, in milliseconds. Default 10,000; brokers want 6,000 or more. */
  readonly sessionTimeoutMs?: number;
  /** How long a broker may hold an empty fetch, in milliseconds: a bound on idle latency. Default 100. */
  readonly maxWaitMs?: number;
  /** Bytes fetched of one partition at a time; a single larger record still comes. Default 2 MiB. */
  readonly maxBytesPerPartition?: number;
}

/** One consumer from its join to its end; it is never restarted, a new one takes its place. */
export interface KafkaMember {
  /** Resolves with the reason when the consumer has died of itself. */
  readonly crashed: Promise<Error>;
  /** Stops fetching, waits for the handlers in progress and their commits, leaves the group, disconnects. */
  leave(): Promise<void>;
}

const mib = 1024 * 1024;

/**
 * Creates a consumer and waits until it has joined its group.
 *
 * kafkajs restarts a crashed consumer only for some errors and tells nobody when that fails too; therefore it is told
 * never to, and `kafka-source.ts` replaces the member whatever it died of.
 */
export async function joinGroup(
  options: KafkaSourceOptions,
  handler: BatchHandler,
  observer: SourceObserver,
): Promise<KafkaMember> {
  const { topics, groupId, sessionTimeoutMs = 10_000, maxBytesPerPartition = 2 * mib } = options;
  const heartbeatMs = Math.floor(sessionTimeoutMs / 5);
  const consumer = createKafkaClient(options).consumer({
    groupId,
    allowAutoTopicCreation: false,
    sessionTimeout: sessionTimeoutMs,
    heartbeatInterval: heartbeatMs,
    metadataMaxAge: 60_000,
    minBytes: 1,
    maxBytesPerPartition,
    maxBytes: Math.max(16 * mib, maxBytesPerPartition),
    maxWaitTimeInMs: options.maxWaitMs ?? 100,
    retry: { restartOnFailure: () => Promise.resolve(false) },
  });
  const context: DeliveryContext = {
    handler,
    heartbeatMs,
    commits: new KafkaCommits(options.brokers),
    leaving: false,
    failures: new Map(),
    log: options.log,
  };
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }: ConsumerGroupJoinEvent) => {
    context.commits.lose(rebalanced(groupId));
    context.commits = new KafkaCommits(options.brokers);
    observer.onAssignment?.(assignmentOf(payload.memberAssignment));
  });
  const crash = crashOf(consumer);
  const leave = async () => {
    context.leaving = true;
    await consumer.disconnect();
  };
  try {
    await consumer.connect();
    await consumer.subscribe({ topics: [...topics], fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: options.partitionsConsumedConcurrently ?? 4,
      eachBatch: (payload) => new KafkaDelivery(context, payload).deliver(),
    });
    // A failed join does not reject `run`: it is a crash like any other, seen before `run` resolves.
    if (crash.error !== undefined) throw crash.error;
  } catch (error) {
    await leave().catch(() => undefined);
    throw error;
  }
  return { crashed: crash.happened, leave };
}

function rebalanced(groupId: string): LogError {
  return new LogError(
    'partition_lost',
    `Cannot commit: group ${groupId} was rebalanced meanwhile. The partition's owner gets these records again.`,
  );
}

function assignmentOf(byTopic: Readonly<Record<string, readonly number[]>>) {
  return Object.entries(byTopic).flatMap(([topic, partitions]) =>
    partitions.map((partition) => ({ topic, partition })),
  );
}

interface Crash {
  error: Error | undefined;
  readonly happened: Promise<Error>;
}

function crashOf(consumer: Consumer): Crash {
  let resolve: (error: Error) => void;
  const happened = new Promise<Error>((done) => {
    resolve = done;
  });
  const crash: Crash = { error: undefined, happened };
  consumer.on(consumer.events.CRASH, ({ payload }: ConsumerCrashEvent) => {
    crash.error = payload.error;
    resolve(payload.error);
  });
  return crash;
}
