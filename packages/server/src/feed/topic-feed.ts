import { messageOf } from '@loopwatch/contract';
import type { LogRecord, TaskBatch, TopicPartition, TopicReader } from '@loopwatch/log';
import type { Database, Queryable } from '@loopwatch/storage';
import { inSpan, type MessagingSystem, messagingAttributes } from '@loopwatch/telemetry';
import { SpanKind } from '@opentelemetry/api';
import type { Logger } from 'pino';
import { lockChanges } from '../storage/change-lock.ts';
import { nextOffset, resumeAt, storeNextOffset } from './topic-offsets.ts';

/** Stores records of one topic; the returned function is called after the commit. */
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
  /** Where the records come from, in spans. */
  readonly system: MessagingSystem;
}

/** Progress of reading one partition. */
export interface PartitionState extends TopicPartition {
  /** The next offset to read. */
  readonly position: number;
  /** Records not stored yet, as of the latest batch; null before the first. */
  readonly lag: number | null;
}

/** Records per transaction: enough to be fast, but few enough not to hold up other transactions. */
const TRANSACTION_RECORDS = 500;

/**
 * Reads a topic into the database. Rows and position are committed together, so that nothing is lost or stored twice after a
 * restart, or when several servers read into the same database.
 */
export class TopicFeed {
  readonly #options: TopicFeedOptions;
  readonly #partitions = new Map<number, PartitionState>();
  #connection: { readonly state: 'up' | 'down'; readonly reason: string | null } = {
    state: 'down',
    reason: 'not connected yet',
  };
  #error: string | null = null;

  constructor(options: TopicFeedOptions) {
    this.#options = options;
  }

  /** Resolves when reading has started. @throws LogError */
  async run(): Promise<void> {
    const { reader, database, logger } = this.#options;
    await reader.run((batch) => this.#traced(batch), {
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
  get error(): string | null {
    return this.#error;
  }

  async #traced(batch: TaskBatch): Promise<void> {
    // Without records, only the position changes.
    if (batch.records.length === 0) return this.#handle(batch);
    const attributes = messagingAttributes(batch, this.#options.system, 'process');
    const options = { kind: SpanKind.CONSUMER, attributes, root: true };
    await inSpan(`store ${batch.topic}`, options, () => this.#handle(batch));
  }

  async #handle({ records, next, lag, topic, partition }: TaskBatch): Promise<void> {
    const place = { topic, partition };
    try {
      for (let at = 0; at === 0 || at < records.length; at += TRANSACTION_RECORDS) {
        const chunk = records.slice(at, at + TRANSACTION_RECORDS);
        const isLast = at + TRANSACTION_RECORDS >= records.length;
        const position = isLast ? next : (chunk.at(-1)?.offset ?? next) + 1;
        await this.#store(place, chunk, position);
        const remaining = lag + records.length - Math.min(records.length, at + TRANSACTION_RECORDS);
        this.#partitions.set(partition, { ...place, position, lag: remaining });
      }
      this.#error = null;
    } catch (error) {
      this.#error = messageOf(error);
      throw error;
    }
  }

  async #store(place: TopicPartition, records: readonly LogRecord[], next: number): Promise<void> {
    const { database, store } = this.#options;
    // Only transaction markers.
    if (records.length === 0) return storeNextOffset(database, place, next);
    const onCommitted = await database.transaction(async (tx) => {
      await lockChanges(tx);
      const position = (await nextOffset(tx, place)) ?? 0;
      // Another server that reads into the same database was faster.
      if (next <= position) return undefined;
      const fresh = records.filter(({ offset }) => offset >= position);
      const onStored = await store(tx, fresh, place);
      await storeNextOffset(tx, place, next);
      return onStored;
    });
    onCommitted?.();
  }
}
