import { backoff } from '@loopwatch/contract';
import { delay } from '@loopwatch/platform';
import kafkajs, {
  type Assigner,
  type Cluster,
  type Consumer,
  type ConsumerCrashEvent,
  type ConsumerGroupJoinEvent,
} from 'kafkajs';
import { LogError } from '../../port/errors.ts';
import type { TopicPartition } from '../../port/task.ts';
import { createKafkaClient, type KafkaOptions } from '../client/client.ts';
import { isTransient } from '../client/errors.ts';
import { timeouts } from '../client/timeouts.ts';
import { type KafkaCluster, onClusters } from '../internals/cluster.ts';
import { changeGroupRequests } from './group-requests.ts';
import { type GroupMember, Ownership } from './ownership.ts';
import { assignSticky, type Claim } from './sticky-assignment.ts';

export interface MembershipOptions extends KafkaOptions {
  readonly topics: readonly string[];
  readonly groupId: string;
  /** Milliseconds without a heartbeat after which a member loses its partitions. Default 10,000; brokers require 6,000 or more. */
  readonly sessionTimeoutMs?: number;
  /**
   * A name that no other member of the group has, and that the process has again after a restart: it gets its partitions back
   * at once, even if it was killed. Default: none.
   */
  readonly instanceId?: string | undefined;
}

/** Commits a position of one partition; rejects once the member has not owned it without interruption. */
export type Commit = (position: { readonly offset: string; readonly metadata: string }) => Promise<void>;

export interface Assignment {
  readonly partitions: readonly TopicPartition[];
  /** Whether others may have owned the partitions since the previous assignment. */
  readonly isInterrupted: boolean;
  /** Call it before the committed position is read that the commits continue from. */
  readonly commitsOf: (topicPartition: TopicPartition) => Commit;
}

export interface MembershipObserver {
  onAssignment(assignment: Assignment): void;
}

/** A consumer that holds a group membership but reads no records. When it crashes, a new one replaces it. */
export interface Membership {
  /** Resolves with the error when the consumer crashes. */
  readonly crashed: Promise<Error>;
  /** Resolves when the coordinator confirms the next heartbeat. */
  heartbeat(): Promise<void>;
  /** Leaves the group, so that its partitions are reassigned at once. */
  leave(): Promise<void>;
}

/** How long a new member is in the group before it takes partitions from others: longer than most failing starts take. */
const SETTLED_AFTER_MS = 3_000;
/** An answer may be lost, or the coordinator move. */
const COMMIT_TRIES = 5;

const { MemberAssignment, MemberMetadata } = kafkajs.AssignerProtocol;

/**
 * Joins a group. kafkajs maintains the membership by heartbeats and rejoins; its own fetching stays paused.
 *
 * kafkajs restarts a crashed consumer only after some errors, and does not report when that restart fails. Restarting is
 * therefore disabled, and the caller replaces the member after any crash.
 *
 * @param isSettled whether this process has been a member before
 */
export async function joinGroup(
  options: MembershipOptions,
  observer: MembershipObserver,
  isSettled: boolean,
): Promise<Membership> {
  const { topics, groupId, sessionTimeoutMs = timeouts.session, instanceId } = options;
  const ownership = new Ownership();
  const claim = { ownership, isSettled };
  let joinedAt: number | undefined;
  let synced: GroupMember | undefined;
  const client = createKafkaClient(options);
  const mustRejoin = (): boolean => {
    // A member that owns partitions already counts: the first of a group does from the start.
    if (claim.isSettled || ownership.partitions.length > 0) return false;
    if (joinedAt === undefined || performance.now() - joinedAt < SETTLED_AFTER_MS) return false;
    claim.isSettled = true;
    return true;
  };
  /** Who waits for the next heartbeat. */
  const waiting = new Set<() => void>();
  const requests = {
    instanceId,
    mustRejoin,
    heartbeatMs: Math.floor(sessionTimeoutMs / timeouts.heartbeatsPerSession),
    onHeartbeat: () => {
      for (const resolve of waiting) resolve();
      waiting.clear();
    },
    onSync: (member: GroupMember) => {
      synced = member;
    },
  };
  const clusters: KafkaCluster[] = [];
  onClusters(client, (cluster) => {
    changeGroupRequests(cluster, requests);
    clusters.push(cluster);
  });
  const consumer = client.consumer({
    groupId,
    allowAutoTopicCreation: false,
    sessionTimeout: sessionTimeoutMs,
    // On each poll, of which few are sent: kafkajs goes by the wall clock, and sends none for hours after it was set back.
    heartbeatInterval: Number.NEGATIVE_INFINITY,
    metadataMaxAge: 60_000,
    // A paused consumer polls at this interval, and sends due heartbeats when it polls.
    maxWaitTimeInMs: 100,
    partitionAssigners: [stickyAssigner(claim), kafkajs.PartitionAssigners.roundRobin],
    retry: { restartOnFailure: () => Promise.resolve(false) },
  });
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }: ConsumerGroupJoinEvent) => {
    joinedAt ??= performance.now();
    const partitions = Object.entries(payload.memberAssignment).flatMap(([topic, numbers]) =>
      numbers.map((partition) => ({ topic, partition })),
    );
    // Must happen before the first fetch and after each join: kafkajs does not pause newly assigned partitions.
    consumer.pause(topics.map((topic) => ({ topic })));
    const [cluster] = clusters;
    if (synced === undefined || cluster === undefined) throw new Error('A member syncs before it joins.');
    const isInterrupted = ownership.assign(synced, partitions);
    const commitsOf = (one: TopicPartition) => commitsDuring(ownership, one, { cluster, groupId });
    observer.onAssignment({ partitions, isInterrupted, commitsOf });
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
    // A failed join does not reject `run`; it is reported as a crash before `run` resolves.
    if (crash.error !== undefined) throw crash.error;
  } catch (error) {
    await leave().catch(() => undefined);
    throw error;
  }
  return {
    crashed: crash.happened,
    heartbeat: () => new Promise((resolve) => void waiting.add(resolve)),
    leave,
  };
}

/**
 * Commits that are possible as long as the partition is owned without interruption from now on. The coordinator accepts a
 * commit of any current member, also for a partition that has a new owner; and kafkajs repeats an unanswered one as whatever
 * member it is by then, and commits nothing, without an error, once its consumer has stopped.
 */
function commitsDuring(
  ownership: Ownership,
  topicPartition: TopicPartition,
  { cluster, groupId }: { readonly cluster: KafkaCluster; readonly groupId: string },
): Commit {
  const tenure = ownership.tenureOf(topicPartition);
  const { topic, partition } = topicPartition;
  return async (position) => {
    const topics = [{ topic, partitions: [{ partition, ...position }] }];
    for (let attempt = 1; ; attempt += 1) {
      const { member } = ownership;
      if (member === undefined || tenure === undefined || ownership.tenureOf(topicPartition) !== tenure)
        throw new LogError('partition_lost', 'The partition belongs to another member.');
      const { memberId, generationId: groupGenerationId } = member;
      try {
        const coordinator = await cluster.findGroupCoordinator({ groupId });
        await coordinator.offsetCommit({ groupId, memberId, groupGenerationId, topics });
        return;
      } catch (error) {
        if (!isTransient(error) || attempt === COMMIT_TRIES) throw error;
        await delay(backoff(attempt, 100, timeouts.retry));
      }
    }
  };
}

/** The group leader assigns the partitions; each member sends it its claim. */
function stickyAssigner(own: { readonly ownership: Ownership; readonly isSettled: boolean }) {
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
        ...readClaim(memberMetadata),
      }));
      const assignments = Array.from(assignSticky(partitions, claims), ([memberId, assigned]) => {
        const assignment: Record<string, number[]> = {};
        for (const { topic, partition } of assigned) (assignment[topic] ??= []).push(partition);
        return {
          memberId,
          memberAssignment: MemberAssignment.encode({ version, assignment, userData: noBytes }),
        };
      });
      return Promise.resolve(assignments);
    },
    protocol({ topics }) {
      const userData = Buffer.from(
        JSON.stringify([...own.ownership.partitions, ...(own.isSettled ? [SETTLED] : [])]),
      );
      return { name, metadata: MemberMetadata.encode({ version, topics, userData }) };
    },
  });
}

const noBytes = Buffer.alloc(0);

/** Listed beside the partitions: other versions ignore what is none. */
const SETTLED = { settled: true };

/** The claim in a member's metadata; nothing if it is malformed. */
function readClaim(metadata: Buffer): Omit<Claim, 'memberId'> {
  try {
    const { userData } = MemberMetadata.decode(metadata) ?? {};
    const value: unknown = JSON.parse(userData?.toString() ?? '[]');
    const items: unknown[] = Array.isArray(value) ? value : [];
    return { owned: items.filter(isTopicPartition), isSettled: items.some(isSettledMark) };
  } catch {
    return { owned: [], isSettled: false };
  }
}

function isSettledMark(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'settled' in value;
}

function isTopicPartition(value: unknown): value is TopicPartition {
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
