import { messageOf } from '@loopwatch/contract';
import { backoff, delay, type LogFunction } from '@loopwatch/platform';
import { CommitQueue } from '../port/commit-queue.ts';
import type { LogRecord } from '../port/records.ts';
import { logInterruption, ProcessingFailure, RetryPlan } from '../port/retry-plan.ts';
import type {
  OpenTask,
  PartitionPosition,
  PartitionTask,
  Step,
  TaskObserver,
  TopicPartition,
} from '../port/task.ts';
import type { TopicLog } from './topic.ts';
import { TopicCursor } from './topic-reader.ts';
import type { EmbeddedTopics } from './topics.ts';

export interface EmbeddedTaskContext {
  readonly group: string;
  readonly topics: EmbeddedTopics;
  readonly open: OpenTask;
  readonly observer: TaskObserver;
  readonly log: LogFunction | undefined;
}

/**
 * Processes one topic until it is closed. Any failure closes its task, and the next task starts from the last committed step.
 */
export class EmbeddedTask {
  readonly #topic: TopicLog;
  readonly #place: TopicPartition;
  readonly #context: EmbeddedTaskContext;
  readonly #closing = new AbortController();
  readonly #ended: Promise<void>;
  /** Consecutive attempts that committed nothing. */
  #failures = 0;
  #connected = true;
  /** How the records of the latest failures are retried; undefined unless processing them has failed. */
  #retry: RetryPlan | undefined;
  /** The committed position, and the offset after the last record that was passed to the task. */
  #position: number | undefined;
  #handed = 0;

  constructor(topic: TopicLog, context: EmbeddedTaskContext) {
    this.#topic = topic;
    this.#place = { topic: topic.name, partition: 0 };
    this.#context = context;
    this.#ended = this.#run();
  }

  get position(): PartitionPosition {
    return { ...this.#place, position: this.#position, end: this.#topic.end };
  }

  /** Finishes the current batch and commits its steps. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const ending = new AbortController();
      try {
        await this.#attempt(AbortSignal.any([signal, ending.signal]), ending);
      } catch (error) {
        await this.#interrupted(error);
      }
    }
  }

  async #interrupted(error: unknown): Promise<void> {
    const { observer, log } = this.#context;
    const isPermanent = error instanceof ProcessingFailure;
    if (isPermanent)
      (this.#retry ??= new RetryPlan()).failed(this.#position ?? 0, this.#handed, messageOf(error));
    const pauseMs = isPermanent && this.#retry?.isStuck !== true ? 100 : backoff(this.#failures, 100, 5_000);
    this.#failures += 1;
    const failure = { failuresInARow: this.#failures, pauseMs, error: messageOf(error) };
    logInterruption(log, this.#place, failure);
    observer.onInterrupted?.(this.#place, messageOf(error));
    await delay(pauseMs, this.#closing.signal);
  }

  /**
   * One attempt: recovers the topic and processes it until the first failure.
   *
   * @param ending aborts `signal` when the attempt ends
   */
  async #attempt(signal: AbortSignal, ending: AbortController): Promise<void> {
    const { group, topics, open, observer, log } = this.#context;
    const began = performance.now();
    const reader = new TopicCursor(this.#topic, signal, log, observer);
    const lane = new CommitQueue((step) => this.#write(step));
    let task: PartitionTask | undefined;
    let processing = Promise.resolve();
    try {
      // A step whose sync failed may have been committed nevertheless.
      await topics.sync();
      const saved = topics.progress(group, this.#topic.name);
      const position = this.#positionIn(saved?.position);
      this.#position = position;
      this.#handed = position;
      task = open(this.#place, lane);
      for (const [key, value] of saved?.state ?? []) task.restore({ key, value });
      const replayed = await this.#replay(
        task,
        reader,
        Math.min(saved?.resumeFrom ?? position, position),
        position,
      );
      if (signal.aborted) return;
      task.ready(position);
      const durationMs = performance.now() - began;
      observer.onRecovered?.({
        ...this.#place,
        durationMs,
        restored: saved?.state.size ?? 0,
        replayed,
        position,
      });
      processing = this.#process(task, reader, lane, position);
      await Promise.race([processing, lane.failed]);
      await this.#drain(lane);
    } finally {
      ending.abort();
      lane.close();
      // The next attempt must not start while this one can still write.
      await Promise.allSettled([processing, lane.drain()]);
      task?.close();
    }
  }

  async #write(step: Step): Promise<void> {
    const { group, topics } = this.#context;
    try {
      await topics.commit(group, this.#topic.name, step);
    } catch (error) {
      if (this.#connected) this.#context.observer.onConnection?.('down', messageOf(error));
      this.#connected = false;
      throw error;
    }
    this.#position = step.position;
    if (this.#retry?.advanced(step.position) === true) this.#retry = undefined;
    this.#failures = 0;
    if (!this.#connected) this.#context.observer.onConnection?.('up');
    this.#connected = true;
  }

  /** The offset to process from: the committed one, clamped to the records that the topic holds. */
  #positionIn(committed = 0): number {
    const { start, end } = this.#topic;
    if (committed > end) {
      const lost = { ...this.#place, committed, end };
      this.#context.log?.('error', 'the topic ends before the committed offset: records were lost', lost);
    }
    return Math.max(start, Math.min(committed, end));
  }

  /** @returns how many records were replayed */
  async #replay(task: PartitionTask, reader: TopicCursor, from: number, position: number): Promise<number> {
    let replayed = 0;
    for (let next = from; next < position; ) {
      const records = (await reader.next(next)).filter(({ offset }) => offset < position);
      const last = records.at(-1);
      if (last === undefined) break;
      next = last.offset + 1;
      replayed += records.length;
      await task.replay({ ...this.#place, records, next, lag: 0 });
      // Yield to other timers and sockets between two batches.
      await new Promise(setImmediate);
    }
    return replayed;
  }

  async #process(
    task: PartitionTask,
    reader: TopicCursor,
    lane: CommitQueue,
    position: number,
  ): Promise<void> {
    for (let next = position; ; ) {
      const records: readonly LogRecord[] = await reader.next(next);
      await lane.room();
      const last = records.at(-1);
      if (last === undefined || this.#closing.signal.aborted || !lane.isOpen) return;
      next = last.offset + 1;
      this.#handed = next;
      const batch = { ...this.#place, records, next, lag: this.#topic.end - next };
      try {
        await (this.#retry === undefined ? task.process(batch) : this.#retry.process(batch, task, lane));
      } catch (error) {
        throw new ProcessingFailure(error);
      }
      await new Promise(setImmediate);
    }
  }

  async #drain(lane: CommitQueue): Promise<void> {
    const began = performance.now();
    await lane.drain();
    this.#context.observer.onDrained?.(this.#place, performance.now() - began);
  }
}
