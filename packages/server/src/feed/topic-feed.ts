import { messageOf } from '@loopwatch/contract';
import { oneLine } from '@loopwatch/detectors/internal';
import {
  LogError,
  type LogRecord,
  type OutputRecord,
  type TaskBatch,
  type TopicPartition,
  type TopicReader,
} from '@loopwatch/log';
import { type Database, isCausedByData, type Queryable } from '@loopwatch/storage';
import { inSpan, type MessagingSystem, messagingAttributes } from '@loopwatch/telemetry';
import { SpanKind } from '@opentelemetry/api';
import type { Logger } from 'pino';
import { lockChanges } from '../storage/change-lock.ts';
import { countSetAside, deadLetters, type LatestSetAside, type SetAside } from './set-aside.ts';
import { isOfAnother, readSetAside, resumeAt, storedPosition, storeNextOffset } from './topic-offsets.ts';

/**
 * Stores records of one topic; the returned function is called after the commit.
 *
 * @param setAside for records that are invalid: they become dead letters
 */
export type StoreRecords = (
  tx: Queryable,
  records: readonly LogRecord[],
  topicPartition: TopicPartition,
  setAside: (record: LogRecord, detail: string) => void,
) => Promise<() => void>;

export interface TopicFeedOptions {
  readonly reader: TopicReader;
  readonly database: Database;
  readonly logger: Logger;
  readonly store: StoreRecords;
  /** Where the records come from, in spans. */
  readonly system: MessagingSystem;
  readonly deadLetterTopic: string;
  /** Writes dead letters; the position moves past their records only after that. */
  readonly publish: (letters: readonly OutputRecord[]) => Promise<void>;
  /** Called once records are set aside for good. */
  readonly onSetAside: (set: readonly SetAside[]) => void;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

/** Progress of reading one partition. */
export interface PartitionState extends TopicPartition {
  /** The next offset to read. */
  readonly position: number;
  /** Records not stored yet, as of the latest batch; null before the first. */
  readonly lag: number | null;
  /** Timestamp of the latest record stored since the start, epoch ms; null before the first. */
  readonly readTo: number | null;
  /** Records that could not be stored and became dead letters. */
  readonly setAside: number;
  readonly latest: LatestSetAside | null;
}

/** A partition, and the id of the topic of that name that was read. */
interface Source extends TopicPartition {
  readonly topicId: string | undefined;
}

/** Attempts with a record alone before it is set aside. */
const MAX_ATTEMPTS = 2;

/** Records per transaction: enough to be fast, but few enough not to hold up other transactions. */
const TRANSACTION_RECORDS = 500;

/**
 * Reads a topic into the database. Rows and position are committed together, so that nothing is lost or stored twice after a
 * restart, or when several servers read into the same database. Records that the database refuses are found by halves, and
 * become dead letters: one record never stops the others.
 */
export class TopicFeed {
  readonly #options: TopicFeedOptions;
  readonly #partitions = new Map<number, PartitionState>();
  /** Ids of the topic that the partitions are read from. */
  readonly #topicIds = new Map<number, string | undefined>();
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
      from: async (topicPartition, bounds) => {
        const position = await resumeAt(database, topicPartition, bounds, logger);
        this.#topicIds.set(topicPartition.partition, bounds.topicId);
        const lag = Math.max(0, bounds.end - position);
        const counted = await readSetAside(database, topicPartition);
        this.#partitions.set(topicPartition.partition, {
          ...topicPartition,
          position,
          lag,
          readTo: null,
          ...counted,
        });
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
    const topicPartition = { topic, partition };
    // As it was when these records were read.
    const source = { ...topicPartition, topicId: this.#topicIds.get(partition) };
    try {
      for (let at = 0; at === 0 || at < records.length; at += TRANSACTION_RECORDS) {
        const chunk = records.slice(at, at + TRANSACTION_RECORDS);
        const isLast = at + TRANSACTION_RECORDS >= records.length;
        const position = isLast ? next : (chunk.at(-1)?.offset ?? next) + 1;
        await this.#storeParts(source, chunk, position);
        const remaining = lag + records.length - Math.min(records.length, at + TRANSACTION_RECORDS);
        const known = this.#partitions.get(partition);
        const { setAside = 0, latest = null } = known ?? {};
        const readTo = chunk.at(-1)?.timestamp ?? known?.readTo ?? null;
        this.#partitions.set(partition, {
          ...topicPartition,
          position,
          lag: remaining,
          readTo,
          setAside,
          latest,
        });
      }
      this.#error = null;
    } catch (error) {
      this.#error = messageOf(error);
      throw error;
    }
  }

  /** Stores records; those that the database refuses are found by halves and set aside. */
  async #storeParts(source: Source, records: readonly LogRecord[], next: number): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#store(source, records, next);
        return;
      } catch (error) {
        const [first] = records;
        // A dead letter that cannot be written is written later.
        if (first === undefined || error instanceof LogError || !isCausedByData(error)) throw error;
        if (records.length > 1) {
          const half = Math.ceil(records.length / 2);
          await this.#storeParts(source, records.slice(0, half), (records[half - 1]?.offset ?? next) + 1);
          await this.#storeParts(source, records.slice(half), next);
          return;
        }
        if (attempt < MAX_ATTEMPTS) continue;
        const refused: SetAside = { record: first, reason: 'not_stored', detail: messageOf(error) };
        await this.#store(source, [], next, [refused]);
        return;
      }
    }
  }

  /** @param refused records before `next` that are not stored, but set aside */
  async #store(
    source: Source,
    records: readonly LogRecord[],
    next: number,
    refused: readonly SetAside[] = [],
  ): Promise<void> {
    const { database, store, now, deadLetterTopic, publish } = this.#options;
    const { topicId, ...topicPartition } = source;
    // Only transaction markers.
    if (records.length === 0 && refused.length === 0)
      return storeNextOffset(database, topicPartition, next, topicId);
    let set: SetAside[] = [];
    const onCommitted = await database.transaction(async (tx) => {
      await lockChanges(tx);
      const stored = await storedPosition(tx, topicPartition);
      const position = stored?.next ?? 0;
      set = [...refused];
      // Another server that reads into the same database was faster, or reads the topic that has replaced this one.
      if (next <= position || isOfAnother(topicId, stored)) {
        set = [];
        return undefined;
      }
      const fresh = records.filter(({ offset }) => offset >= position);
      const onStored =
        fresh.length === 0
          ? undefined
          : await store(tx, fresh, topicPartition, (record, detail) => {
              set.push({ record, reason: 'invalid_record', detail });
            });
      await storeNextOffset(tx, topicPartition, next, topicId);
      await countSetAside(tx, topicPartition, set, now());
      // Last, so that a letter is written twice only if the commit fails.
      if (set.length > 0) await publish(deadLetters(deadLetterTopic, topicPartition, set));
      return onStored;
    });
    this.#note(topicPartition, set);
    onCommitted?.();
  }

  #note(topicPartition: TopicPartition, set: readonly SetAside[]): void {
    const last = set.at(-1);
    if (last === undefined) return;
    const { logger, now, onSetAside } = this.#options;
    const { record, reason, detail } = last;
    const { offset } = record;
    const { topic } = topicPartition;
    const what =
      set.length === 1
        ? `The record at offset ${String(offset)} of ${topic} could not be stored and became a dead letter`
        : `${String(set.length)} records of ${topic} could not be stored and became dead letters; the latest, at offset ${String(offset)}`;
    logger.error(
      { ...topicPartition, offset, reason, detail, records: set.length },
      oneLine(`${what}: ${detail}`),
    );
    const state = this.#partitions.get(topicPartition.partition);
    if (state !== undefined) {
      const latest = { offset, reason, detail, at: now() };
      this.#partitions.set(topicPartition.partition, {
        ...state,
        setAside: state.setAside + set.length,
        latest,
      });
    }
    onSetAside(set);
  }
}
