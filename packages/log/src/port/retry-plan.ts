import type { LogFunction } from '@loopwatch/platform';
import type { CommitQueue } from './commit-queue.ts';
import type { PartitionTask, TaskBatch, TopicPartition } from './task.ts';

/** The same records are tried so often before fewer of them are. */
const triesEach = 2;
/** Into how many parts a batch is cut that failed so often. */
const parts = 16;

/** What a task threw at records, which it will throw again. */
export class ProcessingFailure extends Error {
  override readonly name = 'ProcessingFailure';
}

/**
 * How records are tried again after failures that no waiting can cure: in ever smaller parts, each made durable before the
 * next one, down to a single record. One that fails alone is given up as a dead letter, so that what lies behind it goes
 * on. If even that cannot be made durable, the record is not what is wrong, and the partition stands still.
 */
export class RetryPlan {
  /** Where the latest failure was: the position behind what is durable. */
  #at = -1;
  /** Behind the last record that was on its way then. */
  #until = -1;
  /** Of the records at `#at`, in parts of this size. */
  #failures = 0;
  #most = Infinity;
  #rejection: string | undefined;
  #standsStill = false;

  /** Nothing is left to be tried. */
  get standsStill(): boolean {
    return this.#standsStill;
  }

  /**
   * @param at the position behind what is durable
   * @param until behind the last record that was on its way
   */
  failed(at: number, until: number, message: string): void {
    if (at !== this.#at) this.#begin(at);
    this.#until = Math.max(this.#until, until, at + 1);
    this.#failures += 1;
    if (this.#failures < triesEach) return;
    this.#failures = 0;
    const span = Math.min(this.#most, until - at);
    if (this.#rejection !== undefined) {
      // Whoever mends what is wrong shall find the record processed, not given up.
      this.#standsStill = true;
      this.#rejection = undefined;
    } else if (span > 1) this.#most = Math.ceil(span / parts);
    else {
      this.#most = 1;
      this.#rejection = message;
    }
  }

  /** Everything before `position` is durable. */
  advanced(position: number): void {
    if (this.#at === -1 || position <= this.#at) return;
    this.#begin(position);
    if (position < this.#until) return;
    this.#begin(-1);
    this.#until = -1;
    this.#most = Infinity;
  }

  #begin(at: number): void {
    this.#at = at;
    this.#failures = 0;
    this.#rejection = undefined;
    this.#standsStill = false;
  }

  /** Has a batch processed, in one go as long as nothing failed. */
  async process(batch: TaskBatch, task: PartitionTask, lane: CommitQueue): Promise<void> {
    for (let rest: TaskBatch | undefined = batch; rest !== undefined && lane.isOpen; ) {
      const [part, left]: [TaskBatch, TaskBatch | undefined] = this.#cut(rest);
      rest = left;
      try {
        await task.process(part);
      } catch (error) {
        throw new ProcessingFailure(error instanceof Error ? error.message : String(error), { cause: error });
      }
      if (part.isRetry === true) await lane.drain();
    }
  }

  #cut(batch: TaskBatch): [TaskBatch, TaskBatch | undefined] {
    if (this.#at === -1) return [batch, undefined];
    const { records } = batch;
    const taken = records.slice(0, Math.min(this.#most, records.length));
    const [first] = taken;
    const message = this.#rejection;
    if (first !== undefined && message !== undefined) {
      const { offset, timestamp, key, value, headers, text } = first;
      const rejection = { reason: 'processing_failed', message } as const;
      taken[0] = { offset, timestamp, key, value, headers, text, rejection };
    }
    const part = { ...batch, records: taken, isRetry: true };
    if (taken.length === records.length) return [part, undefined];
    const rest = records.slice(taken.length);
    const next = (taken.at(-1)?.offset ?? batch.next - 1) + 1;
    return [
      { ...part, next, lag: batch.lag + rest.length },
      { ...batch, records: rest },
    ];
  }
}

/** Says that a task restarts; in the message too, because a terminal shows no fields. */
export function logInterruption(
  log: LogFunction | undefined,
  { topic, partition }: TopicPartition,
  failure: { readonly failuresInARow: number; readonly pauseMs: number; readonly error: string },
): void {
  const message = `Work on partition ${String(partition)} of ${topic} was interrupted and restarts from what is durable: ${failure.error}`;
  log?.('warn', message.replaceAll(/\p{Cc}+/gu, ' '), { topic, partition, ...failure });
}
