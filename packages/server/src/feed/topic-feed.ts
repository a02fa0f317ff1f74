import { messageOf } from '@loopwatch/contract';
import type { LogRecord, TaskBatch, TopicPartition, TopicReader } from '@loopwatch/log';
import type { Database, Queryable } from '@loopwatch/storage';
import type { Logger } from 'pino';
import { lockChanges } from '../storage/change-lock.ts';
import { positionOf, resumeAt, setPosition } from './positions.ts';

/** Stores records of one topic; what it returns is told once the transaction is durable. */
export type StoreRecords = (
  tx: Queryable,
  records: readonly LogRecord[],
  place: TopicPartition,
) => Promise<() => void>;

export interface TopicFeedOptions {
  readonly reader: TopicReader;
  readonly database: Database;
  readonly logger: Logger;
  readonly store: StoreRecords;
}

/** How reading one partition stands. */
export interface PartitionState extends TopicPartition {
  /** The offset that is read next. */
  readonly position: number;
  /** Records behind it, as of the latest batch; null before the first. */
  readonly lag: number | null;
}

/** Records that become durable in one transaction: enough to be quick, few enough to let others in. */
const transactionRecords = 500;

/**
 * Brings a topic into the database. Rows and position become durable together, so that a restart goes on where the last
 * one ended and nothing is lost or stored twice, also when several servers read side by side into one database.
 */
export class TopicFeed {
  readonly #options: TopicFeedOptions;
  readonly #partitions = new Map<number, PartitionState>();
  #connection: { readonly state: 'up' | 'down'; readonly reason: string | null } = {
    state: 'down',
    reason: 'the server has not connected yet',
  };
  #trouble: string | null = null;

  constructor(options: TopicFeedOptions) {
    this.#options = options;
  }

  /** Resolves when reading has begun; rejects with a LogError when it cannot. */
  async run(): Promise<void> {
    const { reader, database, logger } = this.#options;
    await reader.run((batch) => this.#handle(batch), {
      resolveWhen: 'started',
      from: async (place, bounds) => {
        const position = await resumeAt(database, place, bounds, logger);
        const lag = Math.max(0, bounds.end - position);
        this.#partitions.set(place.partition, { ...place, position, lag });
        return position;
      },
      onConnection: (state, reason) => {
        this.#connection = { state, reason: reason ?? null };
      },
    });
  }

  stop(): Promise<void> {
    return this.#options.reader.stop();
  }

  get partitions(): readonly PartitionState[] {
    return [...this.#partitions.values()].sort((a, b) => a.partition - b.partition);
  }

  get connection(): { readonly state: 'up' | 'down'; readonly reason: string | null } {
    return this.#connection;
  }

  /** Why the latest records could not be stored; null when they were. */
  get trouble(): string | null {
    return this.#trouble;
  }

  async #handle({ records, next, lag, topic, partition }: TaskBatch): Promise<void> {
    const place = { topic, partition };
    try {
      for (let at = 0; at === 0 || at < records.length; at += transactionRecords) {
        const piece = records.slice(at, at + transactionRecords);
        const isLast = at + transactionRecords >= records.length;
        const position = isLast ? next : (piece.at(-1)?.offset ?? next) + 1;
        await this.#store(place, piece, position);
        const behind = lag + records.length - Math.min(records.length, at + transactionRecords);
        this.#partitions.set(partition, { ...place, position, lag: behind });
      }
      this.#trouble = null;
    } catch (error) {
      this.#trouble = messageOf(error);
      throw error;
    }
  }

  async #store(place: TopicPartition, records: readonly LogRecord[], next: number): Promise<void> {
    const { database, store } = this.#options;
    // Markers of transactions, which are of no interest.
    if (records.length === 0) return setPosition(database, place, next);
    const tell = await database.transaction(async (tx) => {
      await lockChanges(tx);
      const reached = (await positionOf(tx, place)) ?? 0;
      // Another server that reads into the same database was faster.
      if (next <= reached) return undefined;
      const fresh = records.filter(({ offset }) => offset >= reached);
      const done = await store(tx, fresh, place);
      await setPosition(tx, place, next);
      return done;
    });
    tell?.();
  }
}
