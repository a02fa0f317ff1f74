import type { LogFunction } from '@loopwatch/platform';
import { LogError } from '../port/errors.ts';
import type { OpenTask, PartitionPosition, TaskObserver, TaskRunner } from '../port/task.ts';
import { TaskLoop } from '../port/task-loop.ts';
import { EmbeddedPartitions } from './open-partition.ts';
import type { TopicLog } from './topic.ts';
import type { EmbeddedTopics } from './topics.ts';

/** The topics on which this runner is the only one of its group. */
export interface TaskClaim {
  readonly topics: readonly TopicLog[];
  release(): void;
}

export interface TaskRunnerContext {
  readonly group: string;
  readonly topics: EmbeddedTopics;
  readonly log: LogFunction | undefined;
  /** @throws LogError when the group has another runner on one of the topics */
  claim(runner: EmbeddedTaskRunner): TaskClaim;
}

/** Runs one task per topic, because each topic has one partition. */
export class EmbeddedTaskRunner implements TaskRunner {
  readonly #context: TaskRunnerContext;
  #claim: TaskClaim | undefined;
  #hasRun = false;
  #tasks: readonly TaskLoop[] = [];

  constructor(context: TaskRunnerContext) {
    this.#context = context;
  }

  // oxlint-disable-next-line typescript/require-await -- the port's errors are rejections
  async run(open: OpenTask, observer: TaskObserver = {}): Promise<void> {
    const { group, log, topics } = this.#context;
    if (this.#hasRun) {
      throw new LogError('log_closed', `The runner of group ${group} has already run; create a new one.`);
    }
    this.#claim = this.#context.claim(this);
    this.#hasRun = true;
    observer.onConnection?.('up');
    const claimed = this.#claim.topics;
    const owned = claimed.map(({ name }) => ({ topic: name, partition: 0 }));
    observer.onAssignment?.(owned, { arrived: owned.length, left: 0 });
    const partitions = new EmbeddedPartitions({ group, topics, observer, log });
    this.#tasks = claimed.map((topic) => {
      const openPartition = (signal: AbortSignal) => partitions.open(topic, signal);
      return new TaskLoop({ topic: topic.name, partition: 0 }, { open, observer, log, openPartition });
    });
  }

  positions(): Promise<readonly PartitionPosition[]> {
    const ends = this.#claim?.topics.map(({ end }) => end) ?? [];
    return Promise.resolve(
      this.#tasks.map(({ topicPartition, position }, i) => ({ ...topicPartition, position, end: ends[i] })),
    );
  }

  async stop(): Promise<void> {
    this.#hasRun = true;
    await Promise.all(this.#tasks.map((task) => task.close()));
    this.#claim?.release();
    this.#claim = undefined;
  }
}
