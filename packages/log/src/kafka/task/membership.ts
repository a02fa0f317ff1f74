import kafkajs, {
  type Assigner,
  type Cluster,
  type Consumer,
  type ConsumerCrashEvent,
  type ConsumerGroupJoinEvent,
} from 'kafkajs';
import type { TopicPartition } from '../../port/task.ts';
import { createKafkaClient, type KafkaOptions } from '../client/client.ts';
import { assignSticky } from './sticky-assignment.ts';

export interface MembershipOptions extends KafkaOptions {
  readonly topics: readonly string[];
  readonly groupId: string;
  /** A member silent for this long loses its partitions, in milliseconds. Default 10,000; brokers want 6,000 or more. */
  readonly sessionTimeoutMs?: number;
}

export interface MembershipObserver {
  onAssignment(partitions: readonly TopicPartition[]): void;
}

/** A consumer that is a member of its group and reads nothing, from its join to its end; a new one replaces it. */
export interface Membership {
  /** Resolves with the reason when the consumer has died of itself. */
  readonly crashed: Promise<Error>;
  /** Resolves at the next heartbeat that the group answers. */
  heartbeat(): Promise<void>;
  /** Commits as the present member; rejects when it is none any more. */
  commit(offset: TopicPartition & { offset: string; metadata: string }): Promise<void>;
  /** Leaves the group, so that its partitions find a new owner at once. */
  leave(): Promise<void>;
}

const { MemberAssignment, MemberMetadata } = kafkajs.AssignerProtocol;

/**
 * Joins a group. kafkajs keeps the membership, with heartbeats and rejoining; its own fetching stays paused.
 *
 * kafkajs restarts a crashed consumer only for some errors and tells nobody when that fails too; therefore it is told
 * never to, and whoever called replaces the member whatever it died of.
 */
export async function joinGroup(
  options: MembershipOptions,
  observer: MembershipObserver,
): Promise<Membership> {
  const { topics, groupId, sessionTimeoutMs = 10_000 } = options;
  let owned: TopicPartition[] = [];
  const consumer = createKafkaClient(options).consumer({
    groupId,
    allowAutoTopicCreation: false,
    sessionTimeout: sessionTimeoutMs,
    heartbeatInterval: Math.floor(sessionTimeoutMs / 10),
    metadataMaxAge: 60_000,
    // A paused consumer looks for work this often; each time it may send a heartbeat.
    maxWaitTimeInMs: 100,
    partitionAssigners: [stickyAssigner(() => owned), kafkajs.PartitionAssigners.roundRobin],
    retry: { restartOnFailure: () => Promise.resolve(false) },
  });
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }: ConsumerGroupJoinEvent) => {
    owned = Object.entries(payload.memberAssignment).flatMap(([topic, partitions]) =>
      partitions.map((partition) => ({ topic, partition })),
    );
    // Before its first fetch, and again after each join: kafkajs forgets it for partitions that were not its own.
    consumer.pause(topics.map((topic) => ({ topic })));
    observer.onAssignment(owned);
  });
  const crash = crashOf(consumer);
  const leave = () => consumer.disconnect();
  try {
    await consumer.connect();
    await consumer.subscribe({ topics: [...topics], fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      eachBatch: () => Promise.resolve(),
    });
    // A failed join does not reject `run`: it is a crash like any other, seen before `run` resolves.
    if (crash.error !== undefined) throw crash.error;
  } catch (error) {
    await leave().catch(() => undefined);
    throw error;
  }
  return {
    crashed: crash.happened,
    heartbeat: () => nextHeartbeat(consumer),
    commit: (offset) => consumer.commitOffsets([offset]),
    leave,
  };
}

function nextHeartbeat(consumer: Consumer): Promise<void> {
  return new Promise((resolve) => {
    const remove = consumer.on(consumer.events.HEARTBEAT, () => {
      remove();
      resolve();
    });
  });
}

/** The leader of the group shares out; each member tells it what it has. */
function stickyAssigner(owned: () => readonly TopicPartition[]) {
  const version = 1;
  const name = 'loopwatch-sticky';
  return ({ cluster }: { cluster: Cluster }): Assigner => ({
    name,
    version,
    assign({ members, topics }) {
      const partitions = topics.flatMap((topic) =>
        cluster
          .findTopicPartitionMetadata(topic)
          .map(({ partitionId }) => ({ topic, partition: partitionId })),
      );
      const claims = members.map(({ memberId, memberMetadata }) => ({
        memberId,
        owned: claimIn(memberMetadata),
      }));
      const assignments = Array.from(assignSticky(partitions, claims), ([memberId, places]) => {
        const assignment: Record<string, number[]> = {};
        for (const { topic, partition } of places) (assignment[topic] ??= []).push(partition);
        return {
          memberId,
          memberAssignment: MemberAssignment.encode({ version, assignment, userData: noBytes }),
        };
      });
      return Promise.resolve(assignments);
    },
    protocol({ topics }) {
      const userData = Buffer.from(JSON.stringify(owned()));
      return { name, metadata: MemberMetadata.encode({ version, topics, userData }) };
    },
  });
}

const noBytes = Buffer.alloc(0);

/** What a member says it has; nonsense is no claim. */
function claimIn(metadata: Buffer): TopicPartition[] {
  try {
    const { userData } = MemberMetadata.decode(metadata) ?? {};
    const value: unknown = JSON.parse(userData?.toString() ?? '[]');
    return Array.isArray(value) ? value.filter(isPlace) : [];
  } catch {
    return [];
  }
}

function isPlace(value: unknown): value is TopicPartition {
  if (typeof value !== 'object' || value === null) return false;
  return (
    'topic' in value &&
    typeof value.topic === 'string' &&
    'partition' in value &&
    Number.isInteger(value.partition)
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
