import { LogError, messageOf } from './errors.ts';
import { requireTopics, withAdmin } from './kafka-client.ts';
import { isTransient, toLogError } from './kafka-errors.ts';
import { joinGroup, type KafkaMember, type KafkaSourceOptions } from './kafka-member.ts';
import type { BatchHandler, EventSource, SourceObserver } from './ports.ts';
import { backoff, delay } from './timing.ts';

/** How long a start waits for brokers that answer, but cannot serve the group yet. */
const patienceMs = 30_000;

/**
 * Reads topics as a member of a consumer group, from the group's committed offset or else from the beginning. At least
 * once: what was handled but not committed comes again after a crash or a rebalance. Transactions are read committed.
 *
 * Once started it goes on for ever: when the consumer dies, of whatever, a new one takes its place as soon as a broker
 * answers. `run` rejects with `broker_unreachable`, `topic_missing`, `authentication_failed` or `not_authorized`.
 */
export function createKafkaSource(options: KafkaSourceOptions): EventSource {
  return new KafkaSource(options);
}

class KafkaSource implements EventSource {
  readonly #options: KafkaSourceOptions;
  readonly #stopping = new AbortController();
  #started: Promise<KafkaMember> | undefined;
  #finished: Promise<void> = Promise.resolve();

  constructor(options: KafkaSourceOptions) {
    this.#options = options;
  }

  async run(handler: BatchHandler, observer: SourceObserver = {}): Promise<void> {
    if (this.#started !== undefined || this.#stopping.signal.aborted) {
      throw new LogError(
        'log_closed',
        `The source of group ${this.#options.groupId} ran already; create a new one to read again.`,
      );
    }
    this.#started = this.#start(handler, observer);
    const member = await this.#started;
    this.#finished = this.#supervise(member, handler, observer);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#started?.catch(() => undefined);
    await this.#finished;
  }

  async #start(handler: BatchHandler, observer: SourceObserver): Promise<KafkaMember> {
    const { topics, brokers, groupId } = this.#options;
    const doing = `read ${topics.join(', ')} as group ${groupId}`;
    await withAdmin(this.#options, doing, (admin) => requireTopics(admin, topics, brokers));
    // A cluster that has just started answers before its group coordinator has loaded.
    const deadline = Date.now() + patienceMs;
    for (let attempt = 0; ; attempt += 1) {
      try {
        const member = await joinGroup(this.#options, handler, observer);
        observer.onConnection?.('up');
        return member;
      } catch (error) {
        const { signal } = this.#stopping;
        if (!isTransient(error) || signal.aborted || Date.now() > deadline) {
          throw toLogError(error, { brokers, doing, topics });
        }
        await delay(backoff(attempt, 250, 2_000), signal);
      }
    }
  }

  /** Replaces the member each time it dies, until the source is stopped. */
  async #supervise(first: KafkaMember, handler: BatchHandler, observer: SourceObserver): Promise<void> {
    const { signal } = this.#stopping;
    const aborted = new Promise<undefined>((resolve) => {
      if (signal.aborted) resolve(undefined);
      else signal.addEventListener('abort', () => resolve(undefined), { once: true });
    });
    for (let member: KafkaMember | undefined = first; member !== undefined; ) {
      const crash = await Promise.race([member.crashed, aborted]);
      await leaveQuietly(member);
      if (crash === undefined) return;
      observer.onAssignment?.([]);
      observer.onConnection?.('down', crash.message);
      member = await this.#replace(handler, observer);
    }
  }

  /** A new member, however long it takes; undefined when the source is stopped meanwhile. */
  async #replace(handler: BatchHandler, observer: SourceObserver): Promise<KafkaMember | undefined> {
    const { signal } = this.#stopping;
    for (let attempt = 0; ; attempt += 1) {
      await delay(backoff(attempt, 250, 2_000), signal);
      if (signal.aborted) return undefined;
      const member = await this.#rejoin(handler, observer);
      if (member !== undefined) return member;
    }
  }

  async #rejoin(handler: BatchHandler, observer: SourceObserver): Promise<KafkaMember | undefined> {
    try {
      const member = await joinGroup(this.#options, handler, observer);
      observer.onConnection?.('up');
      return member;
    } catch (error) {
      this.#options.log?.('warn', 'still not back in the group', {
        group: this.#options.groupId,
        error: messageOf(error),
      });
      return undefined;
    }
  }
}

/** A member that cannot say goodbye is dropped by the brokers after its session timeout. */
async function leaveQuietly(member: KafkaMember): Promise<void> {
  await member.leave().catch(() => undefined);
}
