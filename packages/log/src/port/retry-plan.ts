import type { LogFunction } from '@loopwatch/platform';
import type { CommitQueue } from './commit-queue.ts';
import type { LogRecord } from './records.ts';
import type { PartitionTask, TaskBatch, TopicPartition } from './task.ts';

/** Attempts with the same records before the batch is split. */
const MAX_ATTEMPTS = 2;
/** How many parts a failed batch is split into. */
const PARTS = 16;

/** An error thrown by a task while processing records: retrying the same records would fail again. */
export class ProcessingFailure extends Error {
  override readonly name = 'ProcessingFailure';

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/**
 * Retries records after failures that waiting does not fix: in ever smaller parts, each committed before the next one, down to
 * a single record. A record that fails on its own becomes a dead letter, so that the partition continues after it. If even the
 * dead letter cannot be committed, the record is not the cause, and the partition is stuck. A partition has a plan from a
 * failure until the records that failed are committed.
 */
export class RetryPlan {
  /** The committed position at the latest failure; -1 if there was none. */
  #at = -1;
  /** The offset after the last record that was being processed at that failure. */
  #until = -1;
  /** Failures at `#at` with parts of the current size. */
  #failures = 0;
  #maxRecords = Infinity;
  #rejection: string | undefined;
  #isStuck = false;

  /** Whether the plan has run out of retries. */
  get isStuck(): boolean {
    return this.#isStuck;
  }

  /**
   * @param at the committed position
   * @param until the offset after the last record that was being processed
   */
  failed(at: number, until: number, message: string): void {
    if (at !== this.#at) this.#begin(at);
    this.#until = Math.max(this.#until, until, at + 1);
    this.#failures += 1;
    if (this.#failures < MAX_ATTEMPTS) return;
    this.#failures = 0;
    const span = Math.min(this.#maxRecords, until - at);
    if (this.#rejection !== undefined) {
      // Once the cause is fixed, the record is to be processed, not rejected.
      this.#isStuck = true;
      this.#rejection = undefined;
    } else if (span > 1) this.#maxRecords = Math.ceil(span / PARTS);
    else {
      this.#maxRecords = 1;
      this.#rejection = message;
    }
  }

  /**
   * Everything before `position` has been committed.
   *
   * @returns whether the plan is over: the records that failed are among them
   */
  advanced(position: number): boolean {
    if (this.#at === -1) return true;
    if (position <= this.#at) return false;
    this.#begin(position);
    if (position < this.#until) return false;
    this.#begin(-1);
    this.#until = -1;
    this.#maxRecords = Infinity;
    return true;
  }

  #begin(at: number): void {
    this.#at = at;
    this.#failures = 0;
    this.#rejection = undefined;
    this.#isStuck = false;
  }

  /** Passes a batch to the task in parts of the current size; once the plan is over, as a whole. */
  async process(batch: TaskBatch, task: PartitionTask, lane: CommitQueue): Promise<void> {
    for (let rest: TaskBatch | undefined = batch; rest !== undefined && lane.isOpen; ) {
      const [part, left]: [TaskBatch, TaskBatch | undefined] = this.#cut(rest);
      rest = left;
      await task.process(part);
      if (part.isRetry === true) await lane.drain();
    }
  }

  #cut(batch: TaskBatch): [TaskBatch, TaskBatch | undefined] {
    if (this.#at === -1) return [batch, undefined];
    const { records } = batch;
    const taken = records.slice(0, Math.min(this.#maxRecords, records.length));
    const [first] = taken;
    const message = this.#rejection;
    if (first !== undefined && message !== undefined) {
      taken[0] = rejected(first, message);
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

function rejected(record: LogRecord, message: string): LogRecord {
  const { offset, timestamp, key, value, headers } = record;
  const rejection = { reason: 'processing_failed', message } as const;
  return {
    offset,
    timestamp,
    key,
    value,
    headers,
    rejection,
    // Decoded only if it is needed: that may be what failed.
    get text() {
      return record.text;
    },
  };
}

/** Logs that a task restarts. The message holds the fields too, because a terminal does not show them. */
export function logInterruption(
  log: LogFunction | undefined,
  { topic, partition }: TopicPartition,
  failure: { readonly failuresInARow: number; readonly pauseMs: number; readonly error: string },
): void {
  const message = `Work on partition ${String(partition)} of ${topic} failed and restarts from the last commit: ${failure.error}`;
  log?.('warn', message.replaceAll(/\p{Cc}+/gu, ' '), { topic, partition, ...failure });
}
