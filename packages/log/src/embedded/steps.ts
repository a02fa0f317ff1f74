import type { LogFunction } from '@loopwatch/platform';
import { groupByTopic } from '../port/output-records.ts';
import type { OutputRecord } from '../port/ports.ts';
import type { Step } from '../port/task.ts';
import { storageError } from './files.ts';
import { Journal, type Progress } from './journal.ts';
import type { TopicLog } from './topic.ts';
import type { EmbeddedTopics } from './topics.ts';

/**
 * Makes the steps of a group's tasks durable, each exactly once, through kills and power cuts: with the fsync of its line
 * in the group's journal it is done, outputs included.
 *
 * The line holds the outputs with the offsets they get. While it is written nothing else may write to their topics, and
 * whoever does so next writes the outputs first. So they lie where the line says or, after a crash, are missing from the
 * end of the topic: then they are appended before anyone else can write. Only the last line's can be missing, as the
 * ones before have to be on the disk first.
 */
export class GroupSteps {
  readonly #journal: Journal;
  readonly #topics: EmbeddedTopics;
  /** Topics in which a step of which it is uncertain whether it counts has its places. */
  #blocked: readonly TopicLog[] = [];
  #writes: Promise<void> = Promise.resolve();

  private constructor(journal: Journal, topics: EmbeddedTopics) {
    this.#journal = journal;
    this.#topics = topics;
  }

  /**
   * Reads the group's journal and appends what a crash kept from its topics; for before anyone else can write.
   *
   * @param compactBytes a smaller journal is not rewritten
   * @throws LogError `corrupt_log`, `storage_failed`.
   */
  static async open(
    path: string,
    compactBytes: number,
    topics: EmbeddedTopics,
    log: LogFunction | undefined,
  ): Promise<GroupSteps> {
    const journal = await Journal.open(path, compactBytes, log);
    try {
      for (const [name, records] of journal.lastOutputs) {
        // The settings may name other topics than when the step was written.
        await topics.open(name);
        topics.topic(name).owe(records);
      }
      await topics.sync();
    } catch (error) {
      await journal.close();
      throw error;
    }
    return new GroupSteps(journal, topics);
  }

  /** Resolves when all that is durable as a step is in its topics. */
  settle(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#mend();
      await this.#topics.sync();
    });
  }

  /** Undefined for a topic that the group has not begun with. */
  progress(topic: string): Progress | undefined {
    return this.#journal.progress(topic);
  }

  /** @throws LogError; whether the step is durable is then for {@link progress} to say */
  write(topic: string, step: Step): Promise<void> {
    return this.#inTurn(() => this.#write(topic, step));
  }

  async close(): Promise<void> {
    await this.#writes;
    await this.#journal.close();
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#writes.then(work);
    this.#writes = done.catch(() => undefined);
    return done;
  }

  /** After a crash the step may count, and then its offsets have to be free. */
  #block(targets: readonly Target[], reason: Error): void {
    this.#blocked = targets.map(([topic]) => topic);
    for (const topic of this.#blocked) topic.block(reason);
  }

  async #mend(): Promise<void> {
    await this.#journal.mend();
    for (const topic of this.#blocked) topic.block(undefined);
    this.#blocked = [];
  }

  async #write(topic: string, { position, resumeFrom, outputs, state }: Step): Promise<void> {
    const targets = Array.from(
      groupByTopic(outputs),
      ([name, records]): Target => [this.#topics.topic(name), records],
    );
    await this.#mend();
    // What was read must not be lost once the position is behind it, nor what the step before wrote.
    await this.#topics.sync();
    const now = Date.now();
    await holdAll(targets, async () => {
      const numbered = targets.map(([target, records]) => [target, target.number(records, now)] as const);
      const byName = new Map(numbered.map(([target, records]) => [target.name, records]));
      try {
        await this.#journal.append({ topic, position, resumeFrom, state, outputs: byName });
      } catch (error) {
        if (this.#journal.isUncertain) this.#block(targets, storageError('write a step', error));
        throw error;
      }
      for (const [target, records] of numbered) target.owe(records);
    });
    // Appending nothing appends what is owed.
    await Promise.all(targets.map(([target]) => target.append([], now)));
  }
}

type Target = readonly [topic: TopicLog, records: readonly OutputRecord[]];

/** Holds topics in the order of their names, so that no two wait for each other. */
async function holdAll(targets: readonly Target[], work: () => Promise<void>): Promise<void> {
  const topics = targets.map(([topic]) => topic).sort((a, b) => (a.name < b.name ? -1 : 1));
  const hold = (at: number): Promise<void> => {
    const topic = topics[at];
    return topic === undefined ? work() : topic.hold(() => hold(at + 1));
  };
  await hold(0);
}
