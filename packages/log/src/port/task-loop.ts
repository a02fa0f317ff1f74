import { backoff, messageOf } from '@loopwatch/contract';
import { atMost, delay, type LogFunction } from '@loopwatch/platform';
import { CommitQueue } from './commit-queue.ts';
import { LogError } from './errors.ts';
import { logInterruption, ProcessingFailure, RetryPlan } from './retry-plan.ts';
import type {
  Fetched,
  OpenTask,
  PartitionPosition,
  PartitionTask,
  Step,
  StepPosition,
  TaskObserver,
  TopicPartition,
} from './task.ts';

/** A partition that is open for processing. */
export interface OpenPartition extends StepPosition {
  /** The task's saved state. */
  readonly saved: ReadonlyMap<string, string>;
  /** The partition's end, and what reading waits for before it, as far as reading has shown. */
  ahead?(): Pick<PartitionPosition, 'end' | 'waitsFor'> | undefined;
  /** Begins reading at this offset, or at the first later record that the log holds. Call once, before {@link next}. */
  start(offset: number): Promise<void>;
  /** Waits for the next records; `undefined` once the partition is not to be read any more. */
  next(): Promise<Fetched | undefined>;
  /** Commits a step. */
  write(step: Step): Promise<void>;
  /** Releases the partition; a write in progress may fail. */
  close(): Promise<void>;
}

export interface TaskLoopContext {
  readonly open: OpenTask;
  readonly observer: TaskObserver;
  readonly log: LogFunction | undefined;
  /**
   * Opens the partition, once an attempt. Nothing that an earlier owner writes may be committed afterwards.
   *
   * @param signal aborted when nothing more is to be read
   */
  readonly openPartition: (signal: AbortSignal) => Promise<OpenPartition>;
  /** Whether the log refuses to store a record: writing the same records again would fail again. */
  readonly isRefused?: (error: unknown) => boolean;
  /** How long records may be processed without a commit before the attempt fails; default: {@link STALLED_AFTER_MS}. */
  readonly stalledAfterMs?: number;
  /** Resolves when this process is known to own its partitions still. */
  readonly confirmed?: (signal: AbortSignal) => Promise<void>;
}

/** A batch takes less than a second; a longer wait is for an answer that was lost. */
const STALLED_AFTER_MS = 5 * 60_000;
/** How long a stalled attempt may take to end before the next one starts, which fences it. */
const ABANDON_AFTER_MS = 10_000;
/** How long a revoked partition may take to commit its queued steps, ms. */
const DRAIN_MS = 10_000;
const SHORTEST_PAUSE_MS = 100;
/** The longest pause before a partition whose step failed is tried again, ms. */
export const LONGEST_PAUSE_MS = 5_000;
/** Pause between retries of a partition that is stuck until someone fixes the cause. */
const STUCK_PAUSE_MS = 30_000;

/**
 * Processes one partition from its assignment to its revocation. Any failure closes its task, and the next task starts from
 * what the log has committed. So no failure needs special handling: a write with an unknown outcome, an owner that was
 * suspended and replaced, duplicate records.
 */
export class TaskLoop {
  readonly topicPartition: TopicPartition;
  readonly #context: TaskLoopContext;
  readonly #closing = new AbortController();
  readonly #ended: Promise<void>;
  /** Consecutive attempts that committed nothing. */
  #failures = 0;
  /** How the records of the latest failures are retried; undefined unless processing them has failed. */
  #retry: RetryPlan | undefined;
  #position: number | undefined;
  /** The offset after the last record that was passed to the task. */
  #handed = 0;
  #ahead: OpenPartition['ahead'];

  /** @param after resolves when the partition's previous task in this process has closed */
  constructor(topicPartition: TopicPartition, context: TaskLoopContext, after = Promise.resolve()) {
    this.topicPartition = topicPartition;
    this.#context = context;
    this.#ended = after.then(() => this.#run());
  }

  /** The committed position; undefined until it is known. */
  get position(): number | undefined {
    return this.#position;
  }

  /** See {@link OpenPartition.ahead}; undefined while the partition is not read. */
  get ahead(): Pick<PartitionPosition, 'end' | 'waitsFor'> | undefined {
    return this.#ahead?.();
  }

  /** Finishes the current batch and commits its steps. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#ended;
  }

  #isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  async #run(): Promise<void> {
    while (!this.#isClosing()) {
      const ending = new AbortController();
      try {
        await this.#attempt(AbortSignal.any([this.#closing.signal, ending.signal]), ending);
      } catch (error) {
        if (this.#isClosing()) return;
        await this.#interrupted(error);
      }
    }
  }

  async #interrupted(error: unknown): Promise<void> {
    const { observer, log, isRefused, confirmed } = this.#context;
    const { signal } = this.#closing;
    const isPermanent = error instanceof ProcessingFailure || isRefused?.(error) === true;
    if (isPermanent && this.#position !== undefined)
      (this.#retry ??= new RetryPlan()).failed(this.#position, this.#handed, messageOf(error));
    const pauseMs = this.#pauseMs(isPermanent);
    this.#failures += 1;
    const failure = { failuresInARow: this.#failures, pauseMs, error: messageOf(error) };
    // The outage itself was logged, once for all partitions.
    if (!isPassing(error)) logInterruption(log, this.topicPartition, failure);
    observer.onInterrupted?.(this.topicPartition, messageOf(error));
    await delay(pauseMs, signal);
    // A process that was suspended for too long must not fence the partition's new owner.
    await confirmed?.(signal);
  }

  #pauseMs(isPermanent: boolean): number {
    if (this.#retry?.isStuck === true) return STUCK_PAUSE_MS;
    return isPermanent ? SHORTEST_PAUSE_MS : backoff(this.#failures, SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS);
  }

  /**
   * One attempt: recovers the partition and processes it until the first failure or the revocation.
   *
   * @param ending aborts `signal` when the attempt ends
   */
  async #attempt(signal: AbortSignal, ending: AbortController): Promise<void> {
    const { openPartition, open, observer } = this.#context;
    const began = performance.now();
    const partition = await openPartition(signal);
    const { position, saved } = partition;
    this.#position = position;
    this.#handed = position;
    this.#ahead = () => partition.ahead?.();
    const lane = new CommitQueue(async (step) => {
      await partition.write(step);
      this.#advanced(step.position);
    });
    let task: PartitionTask | undefined;
    let processing = Promise.resolve();
    const watchdog = this.#watchdog(lane);
    try {
      task = open(this.topicPartition, lane);
      for (const [key, value] of saved) task.restore({ key, value });
      const { rest, replayed } = await this.#replay(task, partition);
      if (signal.aborted) return;
      task.ready(position);
      const durationMs = performance.now() - began;
      const recovery = { durationMs, restored: saved.size, replayed, position };
      observer.onRecovered?.({ ...this.topicPartition, ...recovery });
      processing = this.#process(task, partition, lane, rest);
      await Promise.race([processing, lane.failed]);
      await this.#drain(lane);
    } finally {
      clearInterval(watchdog);
      this.#ahead = undefined;
      ending.abort();
      lane.close();
      task?.close();
      // The next attempt must not start while this one can still write; one that hangs is fenced by it.
      const ended = Promise.allSettled([processing, lane.drain(), partition.close()]);
      await atMost(ended, ABANDON_AFTER_MS);
    }
  }

  /** Fails the lane when records were passed to the task, and nothing has been committed for too long. */
  #watchdog(lane: CommitQueue): NodeJS.Timeout {
    const { stalledAfterMs = STALLED_AFTER_MS } = this.#context;
    let [position, since] = [this.#position, performance.now()];
    return setInterval(() => {
      const isIdle = this.#position === undefined || this.#handed <= this.#position;
      if (isIdle || this.#position !== position) {
        [position, since] = [this.#position, performance.now()];
        return;
      }
      if (performance.now() - since < stalledAfterMs) return;
      const seconds = String(Math.round(stalledAfterMs / 1000));
      lane.fail(new LogError('broker_unreachable', `Nothing was committed for ${seconds} s.`));
    }, stalledAfterMs / 10);
  }

  #advanced(position: number): void {
    this.#position = position;
    this.#failures = 0;
    if (this.#retry?.advanced(position) === true) this.#retry = undefined;
  }

  /** @returns the fetched records at or after the position, which are still to be processed */
  async #replay(
    task: PartitionTask,
    partition: OpenPartition,
  ): Promise<{ rest: Fetched | undefined; replayed: number }> {
    const { position, resumeFrom } = partition;
    const from = (await task.replayFrom?.(partition)) ?? resumeFrom;
    await partition.start(from);
    let replayed = 0;
    for (let next = from; next < position; ) {
      const fetched = await partition.next();
      if (fetched === undefined) break;
      const old = fetched.records.filter(({ offset }) => offset < position);
      replayed += old.length;
      next = fetched.next;
      if (old.length > 0) {
        const batch = { records: old, next: Math.min(next, position), lag: 0 };
        await task.replay({ ...this.topicPartition, ...batch });
      }
      if (next > position)
        return { rest: { ...fetched, records: fetched.records.slice(old.length) }, replayed };
      // A long replay must not delay the group's heartbeats.
      await new Promise(setImmediate);
    }
    return { rest: undefined, replayed };
  }

  async #process(
    task: PartitionTask,
    partition: OpenPartition,
    lane: CommitQueue,
    first: Fetched | undefined,
  ): Promise<void> {
    for (let fetched = first ?? (await partition.next()); fetched !== undefined; ) {
      await lane.room();
      if (this.#isClosing() || !lane.isOpen) return;
      this.#handed = fetched.next;
      const batch = { ...this.topicPartition, ...fetched };
      try {
        await (this.#retry === undefined ? task.process(batch) : this.#retry.process(batch, task, lane));
      } catch (error) {
        throw isPassing(error) ? error : new ProcessingFailure(error);
      }
      // Yield to other timers and sockets between two batches.
      await new Promise(setImmediate);
      fetched = await partition.next();
    }
  }

  async #drain(lane: CommitQueue): Promise<void> {
    const began = performance.now();
    const late = new LogError(
      'partition_lost',
      'The partition was revoked before its last batches were committed.',
    );
    const timer = setTimeout(() => lane.close(late), DRAIN_MS);
    await lane.drain();
    clearTimeout(timer);
    this.#context.observer.onDrained?.(this.topicPartition, performance.now() - began);
  }
}

/** Whether a task failed because of something that it waits for: the records are not to blame. */
function isPassing(error: unknown): boolean {
  return error instanceof LogError && error.code === 'registry_unavailable';
}
