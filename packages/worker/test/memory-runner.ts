import {
  type CheckRecord,
  checkSchema,
  type SessionSummary,
  sessionSummarySchema,
  type Verdict,
} from '@loopwatch/contract';
import type {
  FetchTimes,
  LogRecord,
  OpenTask,
  OutputRecord,
  PartitionPosition,
  PartitionTask,
  Step,
  StepPosition,
  TaskLane,
  TaskObserver,
  TaskRunner,
  TopicPartition,
} from '@loopwatch/log';

interface Partition {
  readonly topicPartition: TopicPartition;
  readonly records: LogRecord[];
  /** What is durable. */
  committed: StepPosition;
  readonly state: Map<string, string>;
  task: PartitionTask | undefined;
  /** Steps of the task in this life that are on their way. */
  lane: Lane | undefined;
}

/** Steps one after the other; after a failure none. */
class Lane implements TaskLane {
  #last: Promise<void> = Promise.resolve();
  #failure: Error | undefined;
  readonly #write: (step: Step) => Promise<void>;

  constructor(write: (step: Step) => Promise<void>) {
    this.#write = write;
  }

  commit(step: Step): Promise<void> {
    this.#last = this.#last.then(async () => {
      if (this.#failure !== undefined) throw this.#failure;
      await this.#write(step);
    });
    this.#last.catch((error: unknown) => {
      this.#failure = error instanceof Error ? error : new Error(String(error));
    });
    return this.#last;
  }

  get settled(): Promise<void> {
    return this.#last;
  }

  fail(reason: unknown): void {
    this.#failure ??= reason instanceof Error ? reason : new Error(String(reason));
  }

  close(): void {
    this.#failure ??= new Error('the partition is gone');
  }
}

/**
 * A log in memory that keeps what is durable apart from what a task knows: steps are written whole or not at all, and a
 * task that fails or is killed is followed by one that gets the kept state and the records it needs.
 */
export class MemoryRunner implements TaskRunner {
  /** All that is durable, in order. */
  readonly published: OutputRecord[] = [];
  /** Positions made durable, as `partition@position`. */
  readonly commits: string[] = [];
  /** Writes tried, those that failed included. */
  attempts = 0;
  /** What a write waits for; it may reject. */
  gate: Promise<void> = Promise.resolve();
  /** Makes `run` fail. */
  runFailure: Error | undefined;
  stopped = false;
  readonly #topic: string;
  readonly #partitions = new Map<number, Partition>();
  #open: OpenTask | undefined;
  #observer: TaskObserver = {};

  constructor(topic: string) {
    this.#topic = topic;
  }

  run(open: OpenTask, observer: TaskObserver = {}): Promise<void> {
    if (this.runFailure !== undefined) return Promise.reject(this.runFailure);
    this.#open = open;
    this.#observer = observer;
    return Promise.resolve();
  }

  /** The end of a partition when it is not that of its records, by its number. */
  readonly ends = new Map<number, number>();

  positions(): Promise<readonly PartitionPosition[]> {
    return Promise.resolve(
      [...this.#partitions.values()].map(({ topicPartition, committed: { position }, records }) => ({
        ...topicPartition,
        position,
        end: this.ends.get(topicPartition.partition) ?? (records.at(-1)?.offset ?? position - 1) + 1,
      })),
    );
  }

  async stop(): Promise<void> {
    for (const partition of this.#partitions.values()) {
      await partition.lane?.settled.catch(() => undefined);
      this.#close(partition);
    }
    this.stopped = true;
  }

  /** Appends records and hands them to the partition's task. @returns when what came of them is durable */
  async deliver(
    records: readonly LogRecord[],
    { partition: number = 0, lag = 0, fetch }: { partition?: number; lag?: number; fetch?: FetchTimes } = {},
  ): Promise<void> {
    const partition = this.#at(number, records[0]?.offset ?? 0);
    const { records: all, topicPartition } = partition;
    all.push(...records.filter(({ offset }) => offset > (all.at(-1)?.offset ?? -1)));
    await this.#start(partition);
    const next = (records.at(-1)?.offset ?? -1) + 1;
    await partition.task?.process({ ...topicPartition, records, next, lag, ...(fetch && { fetch }) });
    await this.settled(number);
  }

  /** Resolves when no step of the partition is on its way. */
  async settled(number = 0): Promise<void> {
    const partition = this.#at(number, 0);
    try {
      await partition.lane?.settled;
    } catch (error) {
      this.crash(number);
      throw error;
    }
  }

  /** Continues a partition that another process has left. */
  load(number: number, left: Pick<Partition, 'records' | 'committed' | 'state'>): void {
    const topicPartition = { topic: this.#topic, partition: number };
    this.#partitions.set(number, { topicPartition, ...left, task: undefined, lane: undefined });
  }

  /** The process dies, or the partition goes to another one: only what is durable is left. */
  crash(number = 0): void {
    this.#close(this.#at(number, 0));
  }

  /** A new owner takes the partition over, and goes through all that is not processed yet. */
  async takeOver(number = 0): Promise<void> {
    const partition = this.#at(number, 0);
    await this.#start(partition);
    const records = partition.records.filter(({ offset }) => offset >= partition.committed.position);
    if (records.length > 0) await this.deliver(records, { partition: number });
  }

  connection(state: 'up' | 'down', reason?: string): void {
    this.#observer.onConnection?.(state, reason);
  }

  assignment(partitions: number, change: { arrived: number; left: number }): void {
    const places = Array.from({ length: partitions }, (_, partition) => ({ topic: this.#topic, partition }));
    this.#observer.onAssignment?.(places, change);
  }

  /** Adds to the kept state what an earlier owner may have committed. */
  keep(key: string, value: string, number = 0): void {
    this.#at(number, 0).state.set(key, value);
  }

  /** Entries of the kept state, by key. */
  kept(number = 0): ReadonlyMap<string, string> {
    return this.#at(number, 0).state;
  }

  /** What is durable of the latest step. */
  committed(number = 0): StepPosition {
    return this.#at(number, 0).committed;
  }

  /** Drops what was read and written, for tests with more than a test should hold. */
  forget(): void {
    this.published.length = 0;
    this.commits.length = 0;
    for (const { records } of this.#partitions.values()) records.length = 0;
  }

  get verdicts(): Verdict[] {
    return this.published
      .filter(({ topic }) => topic.endsWith('.verdicts'))
      .map(({ value }) => JSON.parse(String(value)) as Verdict);
  }

  get checks(): CheckRecord[] {
    return this.published
      .filter(({ topic, value }) => topic.endsWith('.checks') && value !== null)
      .map(({ value }) => checkSchema.parse(JSON.parse(String(value))));
  }

  /** What is told of sessions, in order; a tombstone is the id alone. */
  get summaries(): (SessionSummary | string)[] {
    return this.published
      .filter(({ topic }) => topic.endsWith('.sessions'))
      .map(({ key, value }) =>
        value === null ? String(key) : sessionSummarySchema.parse(JSON.parse(String(value))),
      );
  }

  /** What is left of a compacted topic once its log is compacted, by key. */
  compacted(role: string): Map<string, string> {
    const left = new Map<string, string>();
    for (const { topic, key, value } of this.published) {
      if (!topic.endsWith(`.${role}`)) continue;
      if (value === null) left.delete(String(key));
      else left.set(String(key), String(value));
    }
    return left;
  }

  get deadLetters(): OutputRecord[] {
    return this.published.filter(({ topic }) => topic.endsWith('.dead-letters'));
  }

  #at(number: number, first: number): Partition {
    let partition = this.#partitions.get(number);
    if (partition === undefined) {
      const topicPartition = { topic: this.#topic, partition: number };
      partition = {
        topicPartition,
        records: [],
        committed: { position: first, resumeFrom: first },
        state: new Map(),
        task: undefined,
        lane: undefined,
      };
      this.#partitions.set(number, partition);
    }
    return partition;
  }

  async #start(partition: Partition): Promise<void> {
    if (partition.task !== undefined) return;
    if (this.#open === undefined) throw new Error('the runner was not started');
    const { topicPartition, records, committed, state } = partition;
    const { position, resumeFrom } = committed;
    const lane = new Lane((step) => this.#write(partition, step));
    const task = this.#open(topicPartition, lane);
    partition.lane = lane;
    partition.task = task;
    for (const [key, value] of state) task.restore({ key, value });
    const from = (await task.replayFrom?.(committed)) ?? resumeFrom;
    const old = records.filter(({ offset }) => offset >= from && offset < position);
    if (old.length > 0) await task.replay({ ...topicPartition, records: old, next: position, lag: 0 });
    task.ready(position);
    const counts = { restored: state.size, replayed: old.length };
    const wasThere = resumeFrom < position || state.size > 0;
    if (wasThere) this.#observer.onRecovered?.({ ...topicPartition, ...counts, durationMs: 1, position });
  }

  #close(partition: Partition): void {
    partition.lane?.close();
    partition.task?.close();
    partition.lane = undefined;
    partition.task = undefined;
  }

  async #write(partition: Partition, step: Step): Promise<void> {
    this.attempts += 1;
    await this.gate;
    this.published.push(...step.outputs);
    for (const { key, value } of step.state) {
      if (value === null) partition.state.delete(key);
      else partition.state.set(key, value);
    }
    partition.committed = step;
    this.commits.push(`${String(partition.topicPartition.partition)}@${String(step.position)}`);
  }
}
