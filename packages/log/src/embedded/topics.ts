import { jsonFrom } from '@loopwatch/contract';
import { fromMark, toMark } from '../port/committed-mark.ts';
import { LogError } from '../port/errors.ts';
import { groupByTopic, type LogRecord, type OutputRecord, sizeOf } from '../port/records.ts';
import type { Step, StepPosition } from '../port/task.ts';
import type { LogStore } from './store.ts';
import { TopicLog, type TopicSize } from './topic.ts';

export interface TopicLimits extends TopicSize {
  /** Maximum size of a record: bytes of key, value and headers. */
  readonly maxRecordBytes: number;
  /** Whether `publish` waits for the disk, not only until the operating system has the data. */
  readonly durable: boolean;
  /** Topics that this process reads. */
  readonly read: readonly string[];
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

/** The committed progress of a group's task on a topic. */
export interface Progress extends StepPosition {
  readonly state: ReadonlyMap<string, string>;
}

/** Entries of saved state that are read between two turns of the event loop. */
const ENTRIES_AT_ONCE = 100;

/** All topics of an embedded log, and the committed progress of its groups. */
export class EmbeddedTopics {
  readonly #folder: string;
  readonly #store: LogStore;
  readonly #limits: TopicLimits;
  readonly #topics: ReadonlyMap<string, TopicLog>;

  /** Opens the topics, creating missing ones. */
  constructor(folder: string, store: LogStore, names: readonly string[], limits: TopicLimits) {
    this.#folder = folder;
    this.#store = store;
    this.#limits = limits;
    this.#topics = new Map(
      names.map((name) => [name, new TopicLog(name, store, limits, limits.read.includes(name))]),
    );
  }

  /** @throws LogError `topic_missing` */
  topic(name: string): TopicLog {
    this.#store.requireOpen();
    const topic = this.#topics.get(name);
    if (topic !== undefined) return topic;
    const known = [...this.#topics.keys()].join(', ');
    throw new LogError(
      'topic_missing',
      `Topic ${name} does not exist in ${this.#folder}; its topics are ${known}. Check the topic names in the kafka settings.`,
    );
  }

  async publish(records: readonly OutputRecord[]): Promise<void> {
    this.#store.requireOpen();
    for (const record of records) this.#requireSize(record);
    for (const name of new Set(records.map(({ topic }) => topic))) this.#requireRoom(this.topic(name));
    const appended = this.#append(records, () => undefined);
    if (this.#limits.durable) await this.sync();
    // Records after a step that is not on disk yet stay invisible until it is.
    else if (appended.some(({ topic, from }) => topic.end < from)) await this.sync().catch(() => undefined);
    else for (const { topic } of appended) topic.reveal(topic.next);
  }

  /**
   * Resolves once the step is on disk: outputs, position and state in one transaction. Readers see the outputs only then.
   *
   * @throws LogError; after a {@link sync}, {@link progress} then shows whether the step was committed
   */
  async commit(group: string, topic: string, step: Step): Promise<void> {
    const { position, outputs, state } = step;
    const { resumeFrom, own } = toMark(step);
    this.#append(outputs, () => {
      const [task] = this.#store.query(
        `insert into tasks (group_name, topic, position, replay_from, own) values (?, ?, ?, ?, ?)
         on conflict do update set position = excluded.position, replay_from = excluded.replay_from, own = excluded.own
         returning id`,
        [group, topic, position, resumeFrom, own === undefined ? null : JSON.stringify(own)],
      );
      const id = Number(task?.['id']);
      for (const { key, value } of state) {
        if (value === null) this.#store.run('delete from state where task = ? and key = ?', [id, key]);
        else
          this.#store.run(
            'insert into state values (?, ?, ?) on conflict do update set value = excluded.value',
            [id, key, value],
          );
      }
    });
    await this.sync();
  }

  /** Resolves once no topic but this one is full, so that there is room for what is made of its records. */
  async waitForRoom(reading: TopicLog, signal: AbortSignal): Promise<void> {
    for (const topic of this.#topics.values()) if (topic !== reading) await topic.waitForRoom(signal);
  }

  /** Undefined if the group has committed nothing for the topic. Call while no task of the group processes it. */
  async progress(group: string, topic: string): Promise<Progress | undefined> {
    const [task] = this.#store.query(
      'select id, position, replay_from, own from tasks where group_name = ? and topic = ?',
      [group, topic],
    );
    if (task === undefined) return undefined;
    const state = new Map<string, string>();
    for (let after = 0; ; ) {
      // The plus keeps SQLite from sorting all entries for each page, which the index of the primary key would need.
      const entries = this.#store.query(
        'select rowid, key, value from state where +task = ? and rowid > ? order by rowid limit ?',
        [Number(task['id']), after, ENTRIES_AT_ONCE],
      ) as { rowid: number; key: string; value: string }[];
      for (const { key, value } of entries) state.set(key, value);
      if (entries.length < ENTRIES_AT_ONCE) break;
      after = entries.at(-1)?.rowid ?? after;
      // Requests and timers must not wait for hundreds of megabytes.
      await new Promise(setImmediate);
    }
    const { own } = task;
    const mark = typeof own === 'string' ? jsonFrom(own) : undefined;
    const at = fromMark(Number(task['position']), Number(task['replay_from']), mark);
    return { ...at, state };
  }

  /** Deletes records of all topics for good. @returns how many */
  async erase(isErased: (topic: string, record: LogRecord) => boolean): Promise<number> {
    let erased = 0;
    for (const topic of this.#topics.values())
      erased += await topic.erase((record) => isErased(topic.name, record));
    await this.sync();
    this.#store.scrub();
    return erased;
  }

  /** Resolves once everything written so far is on disk and visible to readers. */
  async sync(): Promise<void> {
    const ends = Array.from(this.#topics.values(), (topic) => [topic, topic.next] as const);
    await this.#store.sync();
    for (const [topic, end] of ends) topic.reveal(end);
  }

  /** @returns the topics, each with the offset of its first appended record */
  #append(
    records: readonly OutputRecord[],
    work: () => void,
  ): { readonly topic: TopicLog; readonly from: number }[] {
    const groups = Array.from(
      groupByTopic(records),
      ([name, ofTopic]) => [this.topic(name), ofTopic] as const,
    );
    const appended = groups.map(([topic]) => ({ topic, from: topic.next }));
    const now = this.#limits.now();
    const undo: (() => void)[] = [];
    try {
      this.#store.transaction(() => {
        for (const [topic, ofTopic] of groups) undo.push(topic.append(ofTopic, now));
        work();
      });
    } catch (error) {
      for (const one of undo) one();
      throw error;
    }
    return appended;
  }

  #requireRoom(topic: TopicLog): void {
    if (!topic.isFull) return;
    const mebibytes = Math.round(topic.bytes / 1024 / 1024);
    throw new LogError(
      'log_full',
      `Topic ${topic.name} in ${this.#folder} is full: it holds ${mebibytes} MiB that have not been processed yet. Send more slowly, or raise storage.log_max_megabytes.`,
    );
  }

  #requireSize(record: OutputRecord): void {
    const { maxRecordBytes } = this.#limits;
    const bytes = sizeOf(record);
    if (bytes <= maxRecordBytes) return;
    throw new LogError(
      'record_too_large',
      `A record of ${bytes} bytes is too large for topic ${record.topic} in ${this.#folder}: the limit is ${maxRecordBytes} bytes. Send smaller records, or use Kafka with a higher max.message.bytes.`,
    );
  }
}
