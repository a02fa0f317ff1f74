import type { LogRecord, OutputRecord } from './records.ts';

/** Where records lie. */
export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

export function nameOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}

/** Consecutive records of one partition. */
export interface TaskBatch extends TopicPartition {
  readonly records: readonly LogRecord[];
  /** The offset behind the batch; markers and gaps can make it more than one behind the last record. */
  readonly next: number;
  /** Records of the partition behind this batch when it was fetched. */
  readonly lag: number;
  /** These records, or others with them, failed before. */
  readonly isRetry?: boolean;
}

/** A change of what a task keeps beside the log; `null` takes the entry away. */
export interface StateChange {
  readonly key: string;
  readonly value: string | null;
}

/** What a task has come to: becomes durable as a whole, or not at all. */
export interface Step {
  /** The offset behind the last record that the task has processed. */
  readonly position: number;
  /** From which offset on records are needed, beside the kept state, to get to where the task is now. */
  readonly resumeFrom: number;
  readonly outputs: readonly OutputRecord[];
  readonly state: readonly StateChange[];
}

/** How a task makes durable what it has come to. */
export interface TaskLane {
  /**
   * Makes the step durable, with outputs and position in one: exactly once where the log can do that. Steps follow each
   * other in order, and several may be written together. A step without outputs and changes may wait a little.
   *
   * @returns resolves when it is durable, rejects when it never will be; the task is closed then and another one opened
   */
  commit(step: Step): Promise<void>;
}

/**
 * The work on one partition from its arrival to its departure. `restore`, then `replay`, then `ready` bring back what the
 * task before had in memory, of this process or another; `process` goes on from there.
 */
export interface PartitionTask {
  /** One entry of the kept state. */
  restore(entry: { readonly key: string; readonly value: string }): void;
  /** Records that were processed before: whatever they lead to is out already. */
  replay(batch: TaskBatch): Promise<void>;
  /** All is back; the next record to process is the one at `position`. */
  ready(position: number): void;
  /** Processes new records and commits a step; the next batch comes when it resolves and not too many steps wait. */
  process(batch: TaskBatch): Promise<void>;
  /** The partition goes, or a step failed. Nothing is called afterwards, and commits reject. */
  close(): void;
}

export type OpenTask = (place: TopicPartition, lane: TaskLane) => PartitionTask;

/** How a partition was taken over. */
export interface Recovery extends TopicPartition {
  readonly durationMs: number;
  /** Entries of kept state, and records behind the committed position. */
  readonly restored: number;
  readonly replayed: number;
  /** Where processing goes on. */
  readonly position: number;
}

/** How far the work on a partition is. */
export interface PartitionPosition extends TopicPartition {
  /** The offset behind what is durable; `undefined` until that is known. */
  readonly position: number | undefined;
  /** The offset that the partition's next record will get; `undefined` while it is unknown. */
  readonly end: number | undefined;
}

/** What the world wants to know of a runner; callbacks must not throw. */
export interface TaskObserver {
  /** The partitions this member owns, after each rebalance. */
  onAssignment?(partitions: readonly TopicPartition[], change: { arrived: number; left: number }): void;
  onRecovered?(recovery: Recovery): void;
  /** A partition's work was interrupted and restarts; `reason` is for people. */
  onInterrupted?(place: TopicPartition, reason: string): void;
  onDrained?(place: TopicPartition, durationMs: number): void;
  /** The link to the log went up or down. */
  onConnection?(state: 'up' | 'down', reason?: string): void;
}

/** Runs a task for each partition that this process owns, as a member of a group. */
export interface TaskRunner {
  /** Resolves when the group is joined; rejects with a LogError when it cannot be. */
  run(open: OpenTask, observer?: TaskObserver): Promise<void>;
  /** How far each partition is that this process owns now. */
  positions(): Promise<readonly PartitionPosition[]>;
  /** Lets every task finish the batch it is at, makes its steps durable, and leaves the group. */
  stop(): Promise<void>;
}
