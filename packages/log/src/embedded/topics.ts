import type { LogFunction } from '@loopwatch/platform';
import { LogError } from '../port/errors.ts';
import { groupByTopic, sizeOf } from '../port/output-records.ts';
import type { OutputRecord } from '../port/ports.ts';
import { TopicLog } from './topic.ts';
import type { TopicLimits } from './topic-files.ts';

/** All topics of an embedded log. */
export class EmbeddedTopics {
  readonly #folder: string;
  readonly #limits: TopicLimits;
  readonly #log: LogFunction | undefined;
  readonly #topics = new Map<string, TopicLog>();
  #revoked: Error | undefined;

  constructor(folder: string, limits: TopicLimits, log: LogFunction | undefined) {
    this.#folder = folder;
    this.#limits = limits;
    this.#log = log;
  }

  /** Opens a topic that is not open yet, creating it if needed. */
  async open(name: string): Promise<void> {
    if (this.#topics.has(name)) return;
    this.#topics.set(name, await TopicLog.open(this.#folder, name, this.#limits, this.#log));
  }

  /** From now on everything is refused, for the reason that came first. */
  revoke(reason: Error): void {
    this.#revoked ??= reason;
  }

  get isRevoked(): boolean {
    return this.#revoked !== undefined;
  }

  /** @throws LogError once the log is closed, or has been taken by another process. */
  requireOpen(): void {
    if (this.#revoked !== undefined) throw this.#revoked;
  }

  /** @throws LogError `topic_missing`. */
  topic(name: string): TopicLog {
    this.requireOpen();
    const topic = this.#topics.get(name);
    if (topic !== undefined) return topic;
    const there = [...this.#topics.keys()].join(', ');
    throw new LogError(
      'topic_missing',
      `Topic ${name} does not exist in ${this.#folder}; there are ${there}. Check the topic names in the kafka settings.`,
    );
  }

  async publish(records: readonly OutputRecord[]): Promise<void> {
    this.requireOpen();
    const groups = Array.from(
      groupByTopic(records),
      ([topic, ofTopic]) => [this.topic(topic), ofTopic] as const,
    );
    for (const record of records) this.#requireSize(record);
    const now = Date.now();
    await Promise.all(groups.map(([topic, ofTopic]) => topic.append(ofTopic, now)));
  }

  /** Puts on the disk all that was written, and is owed, to any topic. */
  async sync(): Promise<void> {
    this.requireOpen();
    await Promise.all(Array.from(this.#topics.values(), (topic) => topic.sync()));
  }

  /** @throws the first failure, after all were closed */
  async close(): Promise<void> {
    const closed = await Promise.allSettled(Array.from(this.#topics.values(), (topic) => topic.close()));
    for (const result of closed) if (result.status === 'rejected') throw result.reason;
  }

  #requireSize(record: OutputRecord): void {
    const { maxRecordBytes } = this.#limits;
    const bytes = sizeOf(record);
    if (bytes <= maxRecordBytes) return;
    throw new LogError(
      'record_too_large',
      `A record of ${bytes} bytes does not fit topic ${record.topic} in ${this.#folder}, which takes ${maxRecordBytes}. Send smaller records, or use Kafka with a higher max.message.bytes.`,
    );
  }
}
