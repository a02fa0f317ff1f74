import type { LogFunction } from '@loopwatch/platform';
import { LogError } from '../port/errors.ts';
import type { OpenTask, PartitionPosition, TaskObserver, TaskRunner } from '../port/task.ts';
import { EmbeddedTask } from './task.ts';
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
  #tasks: readonly EmbeddedTask[] = [];

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
    const places = this.#claim.topics.map(({ name }) => ({ topic: name, partition: 0 }));
    observer.onAssignment?.(places, { arrived: places.length, left: 0 });
    this.#tasks = this.#claim.topics.map(
      (topic) => new EmbeddedTask(topic, { group, topics, open, observer, log }),
    );
  }

  positions(): Promise<readonly PartitionPosition[]> {
    return Promise.resolve(this.#tasks.map((task) => task.position));
  }

  async stop(): Promise<void> {
    this.#hasRun = true;
    await Promise.all(this.#tasks.map((task) => task.close()));
    this.#claim?.release();
    this.#claim = undefined;
  }
}
