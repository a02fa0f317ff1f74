import { messageOf } from '@loopwatch/contract';
import { backoff, delay, type LogFunction } from '@loopwatch/platform';
import { CommitQueue } from '../../port/commit-queue.ts';
import { LogError } from '../../port/errors.ts';
import { logInterruption, ProcessingFailure, RetryPlan } from '../../port/retry-plan.ts';
import type { OpenTask, PartitionTask, StateChange, TaskObserver, TopicPartition } from '../../port/task.ts';
import { isRecordRefused } from '../client/errors.ts';
import type { KafkaFetcher } from '../fetch/fetcher.ts';
import { listOffset } from '../fetch/offsets.ts';
import type { Fetched, PartitionStream } from '../fetch/partition-stream.ts';
import type { KafkaCluster } from '../internals/cluster.ts';
import type { KafkaState } from './state.ts';
import { committedPosition, type StepWriter } from './step-writer.ts';

export interface KafkaTaskContext {
  readonly groupId: string;
  readonly cluster: KafkaCluster;
  readonly fetcher: KafkaFetcher;
  readonly open: OpenTask;
  readonly observer: TaskObserver;
  readonly log: LogFunction | undefined;
  readonly state: KafkaState;
  /** One for each life of the task. */
  readonly createWriter: () => StepWriter;
  /** Resolves at the next proof that this process is still a member of its group. */
  readonly confirmed: (signal: AbortSignal) => Promise<void>;
}

/** How long a partition that goes may take to write what it has, ms. */
const drainMs = 10_000;
const shortestPauseMs = 100;
/** A partition that nothing but a person can help is tried so often. */
const standstillMs = 30_000;

/**
 * One partition from its arrival to its departure. Whatever goes wrong ends the life of its task; the next one begins
 * from what the log says is durable. So no failure needs a repair of its own: a write that may or may not have happened,
 * an owner that was away and has been replaced, records that came twice.
 */
export class KafkaTask {
  readonly place: TopicPartition;
  readonly #context: KafkaTaskContext;
  readonly #closing = new AbortController();
  readonly #ended: Promise<void>;
  /** Lives in a row that made nothing durable. */
  #failures = 0;
  readonly #plan = new RetryPlan();
  /** Behind what is durable, and behind the last record that was handed to a task. */
  #position: number | undefined;
  #handed = 0;

  /** @param after what has to end first: the task that had the partition before */
  constructor(place: TopicPartition, context: KafkaTaskContext, after: Promise<void>) {
    this.place = place;
    this.#context = context;
    this.#ended = after.then(() => this.#run());
  }

  /** Lets the batch in progress end and makes its steps durable. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#ended;
  }

  /** The offset behind what is durable, once that is known. */
  get position(): number | undefined {
    return this.#position;
  }

  #isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  async #run(): Promise<void> {
    while (!this.#isClosing()) {
      try {
        await this.#live();
      } catch (error) {
        if (this.#isClosing()) return;
        await this.#interrupted(error);
      }
    }
  }

  async #interrupted(error: unknown): Promise<void> {
    const { observer, log, confirmed } = this.#context;
    const { signal } = this.#closing;
    const incurable = error instanceof ProcessingFailure || isRecordRefused(error);
    if (incurable && this.#position !== undefined)
      this.#plan.failed(this.#position, this.#handed, messageOf(error));
    const pauseMs = this.#pauseMs(incurable);
    this.#failures += 1;
    logInterruption(log, this.place, { failuresInARow: this.#failures, pauseMs, error: messageOf(error) });
    observer.onInterrupted?.(this.place, messageOf(error));
    await delay(pauseMs, signal);
    // One that was away too long must not shut out the partition's new owner.
    await confirmed(signal);
  }

  #pauseMs(incurable: boolean): number {
    if (this.#plan.isStuck) return standstillMs;
    return incurable ? shortestPauseMs : backoff(this.#failures, shortestPauseMs, 5_000);
  }

  #advanced(position: number): void {
    this.#position = position;
    this.#failures = 0;
    this.#plan.advanced(position);
  }

  /** From taking the partition over to the first failure, or to the departure. */
  async #live(): Promise<void> {
    const { cluster, groupId, createWriter, open, state } = this.#context;
    const { signal } = this.#closing;
    const began = performance.now();
    const writer = createWriter();
    let stream: PartitionStream | undefined;
    let lane: CommitQueue | undefined;
    let task: PartitionTask | undefined;
    try {
      // Fences first: what the owner before has committed by now is all that it ever will.
      await writer.open();
      const committed = await committedPosition(cluster, groupId, this.place);
      const kept = await state.read(cluster, this.#context.fetcher);
      const position = await this.#positionIn(committed?.position);
      const resumeFrom = Math.min(committed?.resumeFrom ?? position, position);
      const foreign = committed?.resumeFrom === undefined;
      const stale: StateChange[] = foreign ? [...kept.keys()].map((key) => ({ key, value: null })) : [];
      this.#position = position;
      this.#handed = position;
      lane = new CommitQueue(async (step) => {
        const changes = [...stale.splice(0), ...step.state];
        await writer.write({ ...step, state: changes });
        this.#advanced(step.position);
      });
      task = open(this.place, lane);
      if (!foreign) for (const [key, value] of kept) task.restore({ key, value });
      stream = await this.#context.fetcher.open(this.place.topic, this.place.partition, resumeFrom);
      const closeStream = () => stream?.close();
      signal.addEventListener('abort', closeStream, { once: true });
      try {
        const { rest, replayed } = await this.#replay(task, stream, resumeFrom, position);
        if (signal.aborted) return;
        task.ready(position);
        const durationMs = performance.now() - began;
        const restored = foreign ? 0 : kept.size;
        this.#context.observer.onRecovered?.({ ...this.place, durationMs, restored, replayed, position });
        await Promise.race([this.#process(task, stream, lane, rest), lane.failed]);
      } finally {
        signal.removeEventListener('abort', closeStream);
      }
      await this.#drain(lane);
    } finally {
      stream?.close();
      task?.close();
      lane?.close();
      await writer.close();
    }
  }

  /** Where to process from: the committed position, as long as the log reaches that far. */
  async #positionIn(committed: number | undefined): Promise<number> {
    const { cluster, log } = this.#context;
    const { topic, partition } = this.place;
    if (committed === undefined) return listOffset(cluster, topic, partition, true);
    const end = await listOffset(cluster, topic, partition, false);
    if (committed <= end) return committed;
    log?.('error', 'the partition ends before the committed offset: records were lost', {
      ...this.place,
      committed,
      end,
    });
    return end;
  }

  /** @returns what was fetched beyond the position */
  async #replay(
    task: PartitionTask,
    stream: PartitionStream,
    from: number,
    position: number,
  ): Promise<{ rest: Fetched | undefined; replayed: number }> {
    let replayed = 0;
    for (let next = from; next < position; ) {
      const fetched = await stream.next();
      if (fetched === undefined) break;
      const old = fetched.records.filter(({ offset }) => offset < position);
      replayed += old.length;
      if (old.length > 0)
        await task.replay({ ...this.place, records: old, next: Math.min(fetched.next, position), lag: 0 });
      next = fetched.next;
      if (next > position) {
        const records = fetched.records.slice(old.length);
        return { rest: { ...fetched, records }, replayed };
      }
      // A long replay must not keep the event loop from the group's heartbeats.
      await new Promise(setImmediate);
    }
    return { rest: undefined, replayed };
  }

  async #process(
    task: PartitionTask,
    stream: PartitionStream,
    lane: CommitQueue,
    first: Fetched | undefined,
  ): Promise<void> {
    for (let fetched = first ?? (await stream.next()); fetched !== undefined; fetched = await stream.next()) {
      await lane.room();
      if (this.#closing.signal.aborted) return;
      this.#handed = fetched.next;
      await this.#plan.process({ ...this.place, ...fetched }, task, lane);
      // Timers and sockets of others get their turn between two batches.
      await new Promise(setImmediate);
    }
  }

  async #drain(lane: CommitQueue): Promise<void> {
    const began = performance.now();
    const late = new LogError(
      'partition_lost',
      'The partition was revoked before its last steps were committed.',
    );
    const timer = setTimeout(() => lane.close(late), drainMs);
    await lane.drain();
    clearTimeout(timer);
    this.#context.observer.onDrained?.(this.place, performance.now() - began);
  }
}
