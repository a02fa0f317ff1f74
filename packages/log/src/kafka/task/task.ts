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
import { committedPosition, type KafkaState } from './state.ts';
import type { StepWriter } from './step-writer.ts';

export interface KafkaTaskContext {
  readonly groupId: string;
  readonly cluster: KafkaCluster;
  readonly fetcher: KafkaFetcher;
  readonly open: OpenTask;
  readonly observer: TaskObserver;
  readonly log: LogFunction | undefined;
  readonly state: KafkaState;
  /** Called once per attempt, that is, each time the task is opened. */
  readonly createWriter: () => StepWriter;
  /** Resolves when the next heartbeat confirms that this process is still a group member. */
  readonly confirmed: (signal: AbortSignal) => Promise<void>;
}

/** How long a revoked partition may take to commit its queued steps, ms. */
const DRAIN_MS = 10_000;
const SHORTEST_PAUSE_MS = 100;
/** Pause between retries of a partition that is stuck until someone fixes the cause. */
const STUCK_PAUSE_MS = 30_000;

/**
 * Processes one partition from its assignment to its revocation. Any failure closes its task, and the next task starts from
 * what the log has committed. So no failure needs special handling: a write with an unknown outcome, an owner that was
 * suspended and replaced, duplicate records.
 */
export class KafkaTask {
  readonly place: TopicPartition;
  readonly #context: KafkaTaskContext;
  readonly #closing = new AbortController();
  readonly #ended: Promise<void>;
  /** Consecutive attempts that committed nothing. */
  #failures = 0;
  /** How the records of the latest failures are retried; undefined unless processing them has failed. */
  #retry: RetryPlan | undefined;
  /** The committed position, and the offset after the last record that was passed to the task. */
  #position: number | undefined;
  #handed = 0;

  /** @param after resolves when the partition's previous task in this process has closed */
  constructor(place: TopicPartition, context: KafkaTaskContext, after: Promise<void>) {
    this.place = place;
    this.#context = context;
    this.#ended = after.then(() => this.#run());
  }

  /** Finishes the current batch and commits its steps. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#ended;
  }

  /** The committed position; undefined until it is known. */
  get position(): number | undefined {
    return this.#position;
  }

  #isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  async #run(): Promise<void> {
    while (!this.#isClosing()) {
      try {
        await this.#attempt();
      } catch (error) {
        if (this.#isClosing()) return;
        await this.#interrupted(error);
      }
    }
  }

  async #interrupted(error: unknown): Promise<void> {
    const { observer, log, confirmed } = this.#context;
    const { signal } = this.#closing;
    const isPermanent = error instanceof ProcessingFailure || isRecordRefused(error);
    if (isPermanent && this.#position !== undefined)
      (this.#retry ??= new RetryPlan()).failed(this.#position, this.#handed, messageOf(error));
    const pauseMs = this.#pauseMs(isPermanent);
    this.#failures += 1;
    logInterruption(log, this.place, { failuresInARow: this.#failures, pauseMs, error: messageOf(error) });
    observer.onInterrupted?.(this.place, messageOf(error));
    await delay(pauseMs, signal);
    // A process that was suspended for too long must not fence the partition's new owner.
    await confirmed(signal);
  }

  #pauseMs(isPermanent: boolean): number {
    if (this.#retry?.isStuck === true) return STUCK_PAUSE_MS;
    return isPermanent ? SHORTEST_PAUSE_MS : backoff(this.#failures, SHORTEST_PAUSE_MS, 5_000);
  }

  #advanced(position: number): void {
    this.#position = position;
    this.#failures = 0;
    if (this.#retry?.advanced(position) === true) this.#retry = undefined;
  }

  /** One attempt: recovers the partition and processes it until the first failure or the revocation. */
  async #attempt(): Promise<void> {
    const { cluster, groupId, createWriter, open, state } = this.#context;
    const { signal } = this.#closing;
    const began = performance.now();
    const writer = createWriter();
    let stream: PartitionStream | undefined;
    let lane: CommitQueue | undefined;
    let task: PartitionTask | undefined;
    try {
      // Fence first: the previous owner can commit nothing after this.
      await writer.open();
      const committed = await committedPosition(cluster, groupId, this.place);
      const saved = await state.read(this.#context.fetcher);
      const position = await this.#positionIn(committed?.position);
      const resumeFrom = Math.min(committed?.resumeFrom ?? position, position);
      // Without our metadata, the saved state does not belong to the position: delete it with the first step.
      const isForeign = committed?.resumeFrom === undefined;
      const stale: StateChange[] = isForeign ? [...saved.keys()].map((key) => ({ key, value: null })) : [];
      this.#position = position;
      this.#handed = position;
      lane = new CommitQueue(async (step) => {
        const changes = [...stale.splice(0), ...step.state];
        await writer.write({ ...step, state: changes });
        this.#advanced(step.position);
      });
      task = open(this.place, lane);
      if (!isForeign) for (const [key, value] of saved) task.restore({ key, value });
      stream = await this.#context.fetcher.open(this.place.topic, this.place.partition, resumeFrom);
      const closeStream = () => stream?.close();
      signal.addEventListener('abort', closeStream, { once: true });
      try {
        const { rest, replayed } = await this.#replay(task, stream, resumeFrom, position);
        if (signal.aborted) return;
        task.ready(position);
        const durationMs = performance.now() - began;
        const restored = isForeign ? 0 : saved.size;
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

  /** The offset to process from: the committed one, or the end of the partition if records were lost. */
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

  /** @returns the fetched records at or after `position`, which are still to be processed */
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
      // A long replay must not delay the group's heartbeats.
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
      if (this.#closing.signal.aborted || !lane.isOpen) return;
      this.#handed = fetched.next;
      const batch = { ...this.place, ...fetched };
      try {
        await (this.#retry === undefined ? task.process(batch) : this.#retry.process(batch, task, lane));
      } catch (error) {
        throw new ProcessingFailure(error);
      }
      // Yield to other timers and sockets between two batches.
      await new Promise(setImmediate);
    }
  }

  async #drain(lane: CommitQueue): Promise<void> {
    const began = performance.now();
    const late = new LogError(
      'partition_lost',
      'The partition was revoked before its last steps were committed.',
    );
    const timer = setTimeout(() => lane.close(late), DRAIN_MS);
    await lane.drain();
    clearTimeout(timer);
    this.#context.observer.onDrained?.(this.place, performance.now() - began);
  }
}
