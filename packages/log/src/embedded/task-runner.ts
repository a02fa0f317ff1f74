import type { LogFunction } from '@loopwatch/platform';
import { LogError } from '../port/errors.ts';
import type { OpenTask, PartitionPosition, TaskObserver, TaskRunner } from '../port/task.ts';
import type { GroupSteps } from './steps.ts';
import { EmbeddedTask } from './task.ts';
import type { TopicLog } from './topic.ts';

/** What a runner works on while it is its group's only one there. */
export interface TaskClaim {
  readonly topics: readonly TopicLog[];
  readonly steps: GroupSteps;
  /** Gives the topics back. */
  release(): void;
}

/** What a runner needs of the log it reads. */
export interface TaskRunnerContext {
  readonly group: string;
  readonly log: LogFunction | undefined;
  /** Makes this runner the group's only one on its topics; rejects when it cannot be. */
  claim(runner: EmbeddedTaskRunner): Promise<TaskClaim>;
}

/** Runs a task for each of its topics, which have one partition each. */
export class EmbeddedTaskRunner implements TaskRunner {
  readonly #context: TaskRunnerContext;
  #claim: Promise<TaskClaim> | undefined;
  #stopped = false;
  #tasks: readonly EmbeddedTask[] = [];

  constructor(context: TaskRunnerContext) {
    this.#context = context;
  }

  async run(open: OpenTask, observer: TaskObserver = {}): Promise<void> {
    const { group, log } = this.#context;
    if (this.#claim !== undefined || this.#stopped) {
      throw new LogError('log_closed', `The runner of group ${group} has already run; create a new one.`);
    }
    this.#claim = this.#context.claim(this);
    const { topics, steps } = await this.#claim;
    observer.onConnection?.('up');
    const places = topics.map(({ name }) => ({ topic: name, partition: 0 }));
    observer.onAssignment?.(places, { arrived: places.length, left: 0 });
    this.#tasks = topics.map((topic) => new EmbeddedTask(topic, { steps, open, observer, log }));
  }

  positions(): Promise<readonly PartitionPosition[]> {
    return Promise.resolve(this.#tasks.map((task) => task.position));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    const claim = await this.#claim?.catch(() => undefined);
    await Promise.all(this.#tasks.map((task) => task.close()));
    claim?.release();
  }
}
