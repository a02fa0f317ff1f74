import { backoff, messageOf } from '@loopwatch/contract';
import { delay } from '@loopwatch/platform';
import { LogError } from '../../port/errors.ts';
import type { RecordSink } from '../../port/records.ts';
import {
  nameOf,
  type OpenTask,
  type PartitionPosition,
  type TaskObserver,
  type TaskRunner,
  type TopicPartition,
} from '../../port/task.ts';
import { TaskLoop } from '../../port/task-loop.ts';
import { requireTopics, withAdmin } from '../client/client.ts';
import { isRecordRefused, isTransient, toLogError } from '../client/errors.ts';
import { connectTimeoutOf } from '../client/options.ts';
import { KafkaFetcher } from '../fetch/fetcher.ts';
import { endOffsets } from '../fetch/offsets.ts';
import { createKafkaCluster, type KafkaCluster } from '../internals/cluster.ts';
import { createKafkaSink } from '../produce/sink.ts';
import { isInstanceFenced } from './group-requests.ts';
import { type Assignment, joinGroup, type Membership, type MembershipOptions } from './membership.ts';
import { openKafkaPartition } from './open-partition.ts';
import { PlainStepWriter } from './plain-step-writer.ts';
import { KafkaState } from './state.ts';
import { type StepWriter, TransactionalStepWriter } from './step-writer.ts';

/** Options of a Kafka task runner beyond those of the client. */
export interface KafkaTaskRunnerOptions extends MembershipOptions {
  /** The compacted topic that stores the tasks' state. */
  readonly stateTopic: string;
  /** `exactly_once`: outputs and position in one transaction. `at_least_once`: one after the other. */
  readonly delivery: 'exactly_once' | 'at_least_once';
  /** How long a broker may hold an empty fetch, in milliseconds; limits the traffic of an idle worker. Default 500. */
  readonly maxWaitMs?: number;
  /** Bytes per partition in one fetch; a single larger record is still returned. Default 4 MiB, less with many partitions. */
  readonly maxBytesPerPartition?: number;
}

const MIB = 1024 * 1024;
/** How long a start waits for brokers that are reachable but cannot serve the group yet. */
const GROUP_READY_TIMEOUT_MS = 30_000;

/**
 * Runs a task for each partition this process owns as a member of a consumer group. Once started, it runs until it is
 * stopped: when the connection breaks, it joins the group again as soon as a broker answers.
 *
 * `run` rejects with `broker_unreachable`, `topic_missing`, `authentication_failed` or `not_authorized`.
 */
export function createKafkaTaskRunner(options: KafkaTaskRunnerOptions): TaskRunner {
  return new KafkaTaskRunner(options);
}

class KafkaTaskRunner implements TaskRunner {
  readonly #options: KafkaTaskRunnerOptions;
  readonly #cluster: KafkaCluster;
  readonly #fetcher: KafkaFetcher;
  readonly #sink: RecordSink | undefined;
  readonly #stopping = new AbortController();
  readonly #tasks = new Map<string, TaskLoop>();
  /** Tasks that are draining after a revocation, by partition. */
  readonly #leaving = new Map<string, Promise<void>>();
  #started: Promise<Membership> | undefined;
  #member: Membership | undefined;
  /** Of the latest assignment. */
  #commitsOf: Assignment['commitsOf'] | undefined;
  /** Undefined once another process has taken it. */
  #instanceId: string | undefined;
  #supervised: Promise<void> = Promise.resolve();
  #open: OpenTask | undefined;
  #observer: TaskObserver = {};

  constructor(options: KafkaTaskRunnerOptions) {
    this.#options = options;
    this.#instanceId = options.instanceId;
    this.#cluster = createKafkaCluster(options);
    this.#fetcher = new KafkaFetcher(this.#cluster, {
      maxWaitMs: options.maxWaitMs ?? 500,
      maxBytesPerPartition: options.maxBytesPerPartition ?? 4 * MIB,
      maxBytes: 16 * MIB,
      log: options.log,
    });
    this.#sink = options.delivery === 'at_least_once' ? createKafkaSink(options) : undefined;
  }

  async run(open: OpenTask, observer: TaskObserver = {}): Promise<void> {
    if (this.#started !== undefined || this.#stopping.signal.aborted) {
      throw new LogError(
        'log_closed',
        `The runner of group ${this.#options.groupId} has already run; create a new one.`,
      );
    }
    this.#open = open;
    this.#observer = observer;
    this.#started = this.#start();
    const member = await this.#started;
    this.#supervised = this.#supervise(member);
  }

  async positions(): Promise<readonly PartitionPosition[]> {
    const tasks = [...this.#tasks.values()];
    const ends = await endOffsets(
      this.#cluster,
      tasks.map(({ topicPartition }) => topicPartition),
    );
    return tasks.map(({ topicPartition, position, ahead }) => {
      const listed = ends.get(nameOf(topicPartition));
      // Brokers list the end of what is committed; an open transaction may hold back more.
      const end = ahead?.end === undefined ? listed : Math.max(ahead.end, listed ?? 0);
      const isHeld = ahead?.waitsFor !== undefined && position === listed;
      return { ...topicPartition, position, end, ...(isHeld && { waitsFor: ahead.waitsFor }) };
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#started?.catch(() => undefined);
    // Drain before leaving the group, so that no other member is assigned a partition that is still draining.
    this.#assign([]);
    await Promise.all(this.#leaving.values());
    await this.#supervised;
    this.#fetcher.close();
    await this.#sink?.close();
    await this.#cluster.disconnect().catch(() => undefined);
  }

  async #start(): Promise<Membership> {
    const { topics, stateTopic, brokers, groupId } = this.#options;
    const doing = `read ${topics.join(', ')} as group ${groupId}`;
    await withAdmin(this.#options, doing, (admin) => requireTopics(admin, [...topics, stateTopic], brokers));
    // A cluster that has just started is reachable before its group coordinator has loaded.
    const deadline = performance.now() + Math.max(GROUP_READY_TIMEOUT_MS, connectTimeoutOf(this.#options));
    for (let attempt = 0; ; attempt += 1) {
      try {
        await this.#cluster.connect();
        await this.#sink?.open();
        return await this.#join(false);
      } catch (error) {
        const { signal } = this.#stopping;
        if (!isTransient(error) || signal.aborted || performance.now() > deadline) {
          await this.#cluster.disconnect().catch(() => undefined);
          throw toLogError(error, { brokers, doing, topics: [...topics, stateTopic] });
        }
        await delay(backoff(attempt, 250, 2_000), signal);
      }
    }
  }

  /** @param isSettled whether this process has been a member before */
  async #join(isSettled: boolean): Promise<Membership> {
    const onAssignment = ({ partitions, isInterrupted, commitsOf }: Assignment): void => {
      this.#commitsOf = commitsOf;
      if (this.#stopping.signal.aborted) return;
      // Without transactions, nothing else tells a task that others have continued its work meanwhile.
      if (isInterrupted && this.#sink !== undefined) for (const name of this.#tasks.keys()) this.#close(name);
      this.#assign(partitions);
    };
    const options = { ...this.#options, instanceId: this.#instanceId };
    const member = await joinGroup(options, { onAssignment }, isSettled);
    this.#member = member;
    this.#observer.onConnection?.('up');
    return member;
  }

  /** Starts and closes tasks so that there is one for each of these partitions. */
  #assign(partitions: readonly TopicPartition[]): void {
    const wanted = new Map(partitions.map((topicPartition) => [nameOf(topicPartition), topicPartition]));
    const left = [...this.#tasks.keys()].filter((name) => !wanted.has(name));
    const arrived = [...wanted].filter(([name]) => !this.#tasks.has(name));
    for (const name of left) this.#close(name);
    for (const [name, topicPartition] of arrived) {
      this.#tasks.set(name, this.#createTask(topicPartition, this.#leaving.get(name) ?? Promise.resolve()));
    }
    if (this.#stopping.signal.aborted) return;
    this.#observer.onAssignment?.(partitions, { arrived: arrived.length, left: left.length });
  }

  #close(name: string): void {
    const task = this.#tasks.get(name);
    if (task === undefined) return;
    this.#tasks.delete(name);
    const closed = task.close().finally(() => {
      if (this.#leaving.get(name) === closed) this.#leaving.delete(name);
    });
    this.#leaving.set(name, closed);
  }

  #createTask(topicPartition: TopicPartition, after: Promise<void>): TaskLoop {
    const { groupId, stateTopic, log } = this.#options;
    if (this.#open === undefined) throw new Error('The runner has not been started.');
    const state = new KafkaState(this.#cluster, stateTopic, groupId, topicPartition);
    const shared = { groupId, cluster: this.#cluster, fetcher: this.#fetcher, log, state };
    return new TaskLoop(
      topicPartition,
      {
        open: this.#open,
        observer: this.#observer,
        log,
        openPartition: (signal) =>
          openKafkaPartition(
            topicPartition,
            { ...shared, writer: this.#createWriter(topicPartition, state) },
            signal,
          ),
        isRefused: isRecordRefused,
        confirmed: (signal) => this.#confirmed(signal),
      },
      after,
    );
  }

  #createWriter(topicPartition: TopicPartition, state: KafkaState): StepWriter {
    const options = { topicPartition, groupId: this.#options.groupId, state };
    if (this.#sink === undefined) return new TransactionalStepWriter(this.#options, options);
    if (this.#commitsOf === undefined) throw new Error('A task starts with an assignment.');
    return new PlainStepWriter(this.#sink, this.#commitsOf(topicPartition), options);
  }

  async #confirmed(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const beat = this.#member?.heartbeat().then(() => true) ?? Promise.resolve(false);
      const waited = delay(1_000, signal).then(() => false);
      if (await Promise.race([beat, waited])) return;
    }
  }

  /** Replaces the member after each crash, until the runner is stopped. */
  async #supervise(first: Membership): Promise<void> {
    const { signal } = this.#stopping;
    const aborted = new Promise<undefined>((resolve) => {
      if (signal.aborted) resolve(undefined);
      else signal.addEventListener('abort', () => resolve(undefined), { once: true });
    });
    for (let member: Membership | undefined = first; member !== undefined; ) {
      const crash = await Promise.race([member.crashed, aborted]);
      if (crash === undefined) {
        await Promise.all(this.#leaving.values());
        await leaveQuietly(member);
        return;
      }
      this.#member = undefined;
      const { groupId: group, log, topics, brokers } = this.#options;
      const explained = toLogError(crash, { brokers, doing: `read ${topics.join(', ')}`, topics });
      const isMissing = explained.code === 'topic_missing';
      this.#observer.onConnection?.('down', isMissing ? explained.message : crash.message);
      if (isInstanceFenced(crash)) this.#giveUpInstanceId();
      log?.('warn', `Lost the membership in consumer group ${group}; joining it again`, {
        group,
        error: crash.message,
      });
      this.#assign([]);
      await leaveQuietly(member);
      member = await this.#replace();
    }
  }

  /** Of two processes with the same name, the later one keeps it: it may have replaced this one, which was suspended. */
  #giveUpInstanceId(): void {
    const { groupId: group, log } = this.#options;
    const fields = { group, instanceId: this.#instanceId };
    log?.(
      'error',
      'Another process has joined with the same kafka.instance_id; this one continues without it',
      fields,
    );
    this.#instanceId = undefined;
  }

  /** Retries until it has joined the group again; undefined when the runner is stopped first. */
  async #replace(): Promise<Membership | undefined> {
    const { signal } = this.#stopping;
    for (let attempt = 0; ; attempt += 1) {
      await delay(backoff(attempt, 250, 2_000), signal);
      if (signal.aborted) return undefined;
      try {
        return await this.#join(true);
      } catch (error) {
        const { groupId: group, log } = this.#options;
        log?.('warn', `Could not join consumer group ${group} again; retrying`, {
          group,
          error: messageOf(error),
        });
      }
    }
  }
}

/** If the leave request fails, the coordinator removes the member after its session timeout. */
async function leaveQuietly(member: Membership): Promise<void> {
  await member.leave().catch(() => undefined);
}
