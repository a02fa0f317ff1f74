import { LogError } from './errors.ts';
import type { Step, TaskLane } from './task.ts';

export interface CommitQueueOptions {
  /** Steps that may be queued before the task has to wait. Default 2. */
  readonly maxWaiting?: number;
  /** A step without outputs is delayed for up to this long, to be merged with others, in ms. Default 1,000. */
  readonly idleCommitMs?: number;
}

interface Waiting {
  readonly step: Step;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * Commits the steps of one task, one write at a time, while the task processes its next batch. Steps queued during a write are
 * merged. After a failure nothing more is written, and the task restarts from what the log has committed.
 */
export class CommitQueue implements TaskLane {
  readonly #write: (step: Step) => Promise<void>;
  readonly #maxWaiting: number;
  readonly #idleCommitMs: number;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failure: Error | undefined;
  #fail: (error: Error) => void = () => undefined;
  #roomMade: (() => void) | undefined;
  /** Rejects when a step could not be written. */
  readonly failed: Promise<never>;

  /** @param write commits one step */
  constructor(write: (step: Step) => Promise<void>, options: CommitQueueOptions = {}) {
    this.#write = write;
    this.#maxWaiting = options.maxWaiting ?? 2;
    this.#idleCommitMs = options.idleCommitMs ?? 1_000;
    this.failed = new Promise<never>((_, reject) => {
      this.#fail = reject;
    });
    this.failed.catch(() => undefined);
  }

  commit(step: Step): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ step, resolve, reject });
      if (this.#writing !== undefined) return;
      if (isUrgent(step)) this.#start();
      else this.#timer ??= setTimeout(() => this.#start(), this.#idleCommitMs);
    });
  }

  /** Whether steps are still accepted. */
  get isOpen(): boolean {
    return this.#failure === undefined;
  }

  /** Resolves when the task may continue with its next batch. */
  async room(): Promise<void> {
    while (this.#failure === undefined && this.#urgentWaiting >= this.#maxWaiting) {
      await new Promise<void>((resolve) => {
        this.#roomMade = resolve;
      });
    }
  }

  /** Writes the queued steps; resolves when the queue is empty, or a write failed. */
  async drain(): Promise<void> {
    while (this.#writing !== undefined || this.#waiting.length > 0) {
      if (this.#writing === undefined) this.#start();
      await this.#writing;
    }
  }

  /** Rejects all queued steps and every later one; the task restarts. */
  fail(reason: unknown): void {
    const failure = errorOf(reason);
    this.close(failure);
    this.#fail(failure);
  }

  /** Rejects all queued steps and every later one. */
  close(reason: Error = closedError()): void {
    this.#failure ??= reason;
    this.#end();
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure);
    this.#makeRoom();
  }

  get #urgentWaiting(): number {
    return this.#waiting.reduce((count, { step }) => count + (isUrgent(step) ? 1 : 0), 0);
  }

  #start(): void {
    this.#end();
    this.#writing = this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    // Steps committed in the same turn of the event loop are merged.
    await Promise.resolve();
    while (this.#failure === undefined && this.#waiting.length > 0) {
      const group = this.#waiting.splice(0);
      this.#makeRoom();
      try {
        await this.#write(merged(group.map(({ step }) => step)));
        for (const { resolve } of group) resolve();
      } catch (error) {
        const failure = errorOf(error);
        for (const { reject } of group) reject(failure);
        this.fail(failure);
      }
    }
    // In the same turn as the check above: a step queued in between would not be written.
    this.#writing = undefined;
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #makeRoom(): void {
    this.#roomMade?.();
    this.#roomMade = undefined;
  }
}

function isUrgent({ outputs, state }: Step): boolean {
  return outputs.length > 0 || state.length > 0;
}

/** The last change of a state entry wins. */
function merged(steps: readonly Step[]): Step {
  const last = steps.at(-1);
  if (last === undefined) throw new Error('no step to write');
  if (steps.length === 1) return last;
  const state = new Map(steps.flatMap((step) => step.state.map((change) => [change.key, change] as const)));
  return {
    ...last,
    outputs: steps.flatMap(({ outputs }) => outputs),
    state: [...state.values()],
  };
}

function errorOf(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

function closedError(): LogError {
  return new LogError('partition_lost', 'The partition was revoked before this was committed.');
}
