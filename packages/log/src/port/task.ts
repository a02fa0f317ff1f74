import type { LogRecord, OutputRecord } from './records.ts';

/** One partition of a topic. */
export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

export function nameOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}

/** Consecutive records as they were read. */
export interface Fetched {
  readonly records: readonly LogRecord[];
  /** The offset after the records; transaction markers and gaps can put it more than one after the last record. */
  readonly next: number;
  /** Records of the partition after these when they were fetched. */
  readonly lag: number;
  /** The request that brought these records; absent if earlier records came with it, or nothing was requested. */
  readonly fetch?: FetchTimes;
}

/** Consecutive records of one partition. */
export interface TaskBatch extends TopicPartition, Fetched {
  /** Whether processing these records, or others with them, failed before. */
  readonly isRetry?: boolean;
}

/** When a fetch was sent and answered, epoch ms. */
export interface FetchTimes {
  readonly startedAt: number;
  readonly endedAt: number;
}

/** A change of a task's saved state; `null` deletes the entry. */
export interface StateChange {
  readonly key: string;
  readonly value: string | null;
}

/** Which entries of the saved state belong to a position. */
export interface StateMark {
  /** The format of the entries, which tasks of another version may not read. */
  readonly format: number;
  /** The position at which a task of this format took over from one of another: entries saved before are outdated. */
  readonly since: number;
}

/** How far a partition is processed. */
export interface StepPosition {
  /** The offset after the last processed record. */
  readonly position: number;
  /** The offset from which records must be replayed onto the saved state to rebuild the task's state in memory. */
  readonly resumeFrom: number;
  /** The offset from which records alone rebuild it, for a task that cannot read the saved state; default: `resumeFrom`. */
  readonly rebuildFrom?: number | undefined;
  /** Absent if a version that does not know marks committed the position. */
  readonly mark?: StateMark | undefined;
}

/** The results of processing: committed as a whole, or not at all. */
export interface Step extends StepPosition {
  readonly outputs: readonly OutputRecord[];
  readonly state: readonly StateChange[];
}

/** Commits the steps of a task. */
export interface TaskLane {
  /**
   * Commits outputs, state and position atomically: exactly once where the log supports it. Steps are committed in order,
   * several may be merged, and one without outputs and state changes may be delayed.
   *
   * @returns resolves when the step is durable; rejects when it failed, after which the task is closed and a new one opened
   */
  commit(step: Step): Promise<void>;
  /** The task cannot go on, although no batch is to blame: it is closed, and a new one opened. */
  fail(reason: unknown): void;
}

/**
 * The work on one partition from its assignment to its revocation. `restore`, `replay` and `ready`, in this order, rebuild
 * the state in memory of the previous task, which may have run in another process; `process` continues from there.
 */
export interface PartitionTask {
  /** One entry of the saved state. One with a key that was never committed: entries are missing. */
  restore(entry: { readonly key: string; readonly value: string }): void;
  /**
   * Where the replay has to start if the restored state does not suffice, asked after the last entry. Default: at
   * `resumeFrom`. Records that the log no longer holds are skipped.
   */
  replayFrom?(committed: StepPosition): Promise<number>;
  /** Records that were processed before: their outputs are already in the log. */
  replay(batch: TaskBatch): Promise<void>;
  /** Recovery is complete; the next record to process is the one at `position`. */
  ready(position: number): void;
  /** Processes new records and commits a step; the next batch follows when this resolves and few enough steps are queued. */
  process(batch: TaskBatch): Promise<void>;
  /** The partition was revoked, or a step failed. Nothing is called afterwards, and commits reject. */
  close(): void;
}

export type OpenTask = (topicPartition: TopicPartition, lane: TaskLane) => PartitionTask;

/** How a partition was taken over. */
export interface Recovery extends TopicPartition {
  readonly durationMs: number;
  /** Restored entries of saved state, and records replayed. */
  readonly restored: number;
  readonly replayed: number;
  /** The offset at which processing continues. */
  readonly position: number;
}

/** Committed position and end offset of a partition. */
export interface PartitionPosition extends TopicPartition {
  /** The committed position; `undefined` until it is known. */
  readonly position: number | undefined;
  /** The offset that the partition's next record will get; `undefined` while it is unknown. */
  readonly end: number | undefined;
  /** Why the records before `end` cannot be read at present. */
  readonly waitsFor?: string | undefined;
}

/** Events of a runner; callbacks must not throw. */
export interface TaskObserver {
  /** The partitions this member owns, after each rebalance. */
  onAssignment?(partitions: readonly TopicPartition[], change: { arrived: number; left: number }): void;
  onRecovered?(recovery: Recovery): void;
  /** A partition's task failed and restarts; `reason` is a message for people. */
  onInterrupted?(topicPartition: TopicPartition, reason: string): void;
  onDrained?(topicPartition: TopicPartition, durationMs: number): void;
  /** The connection to the log was established or lost. */
  onConnection?(state: 'up' | 'down', reason?: string): void;
}

/** Runs a task for each partition that this process owns, as a member of a group. */
export interface TaskRunner {
  /** Resolves when the group is joined; rejects with a LogError when it cannot be. */
  run(open: OpenTask, observer?: TaskObserver): Promise<void>;
  /** Positions of the partitions assigned to this process. */
  positions(): Promise<readonly PartitionPosition[]>;
  /** Lets every task finish its current batch, commits its steps, and leaves the group. */
  stop(): Promise<void>;
}
