import type { LogError } from './errors.ts';
import { isTransient, losesPartition, toLogError } from './kafka-errors.ts';
import { backoff, delay } from './timing.ts';

/** One partition's position to be committed. */
export interface Commit {
  readonly topic: string;
  readonly partition: number;
  /** The offset of the next record to read. */
  readonly offset: number;
}

/** Sends positions to the coordinator in one request. */
type SendCommits = (commits: readonly Commit[]) => Promise<void>;

interface Waiting {
  readonly commit: Commit;
  readonly resolve: () => void;
  readonly reject: (error: LogError) => void;
}

const tries = 5;

/**
 * The commits of one member in one generation of its group. Those that come while one is on its way share the next
 * request: a broker answers the requests of a connection one by one, and takes milliseconds for each commit.
 */
export class KafkaCommits {
  readonly #brokers: readonly string[];
  #waiting: Waiting[] = [];
  #send: SendCommits | undefined;
  #sending = false;
  #lost: Error | undefined;

  constructor(brokers: readonly string[]) {
    this.#brokers = brokers;
  }

  /** Why the group has taken the member's partitions away; it has to join again. */
  get lost(): Error | undefined {
    return this.#lost;
  }

  lose(error: Error): void {
    this.#lost ??= error;
  }

  /**
   * Resolves once the coordinator has the position.
   *
   * @throws LogError `partition_lost` when the group was rebalanced, else what the broker said.
   */
  commit(commit: Commit, send: SendCommits): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ commit, resolve, reject });
      this.#send = send;
      if (this.#sending) return;
      this.#sending = true;
      // Partitions handled side by side tend to finish in the same turn of the event loop.
      queueMicrotask(() => void this.#sendAll(send));
    });
  }

  async #sendAll(first: SendCommits): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      const commits = group.map(({ commit }) => commit);
      try {
        await this.#sendOne(commits, this.#send ?? first);
        for (const { resolve } of group) resolve();
      } catch (error) {
        const failure = this.#failure(error, commits);
        for (const { reject } of group) reject(failure);
      }
    }
    this.#sending = false;
  }

  async #sendOne(commits: readonly Commit[], send: SendCommits): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      if (this.#lost !== undefined) throw this.#lost;
      try {
        await send(commits);
        return;
      } catch (error) {
        const lost = losesPartition(error) && error instanceof Error;
        if (lost) this.lose(error);
        if (lost || !isTransient(error) || attempt + 1 >= tries) throw error;
        await delay(backoff(attempt, 100, 1_000));
      }
    }
  }

  #failure(error: unknown, commits: readonly Commit[]): LogError {
    const places = commits.map(({ topic, partition, offset }) => `${topic}/${partition} at ${offset}`);
    const topics = [...new Set(commits.map(({ topic }) => topic))];
    return toLogError(error, { brokers: this.#brokers, doing: `commit ${places.join(', ')}`, topics });
  }
}
