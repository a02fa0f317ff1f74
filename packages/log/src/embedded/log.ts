import { join } from 'node:path';
import { closeToOthers, createFolder, type LogFunction, lockFolder } from '@loopwatch/platform';
import { LogError, sinkNotOpen } from '../port/errors.ts';
import type { LogRecord, RecordSink } from '../port/records.ts';
import type { TaskRunner } from '../port/task.ts';
import type { RecordReader, TopicReader } from '../port/topic-reader.ts';
import { findDamage } from './damage.ts';
import { LogStore } from './store.ts';
import { EmbeddedTaskRunner, type TaskClaim } from './task-runner.ts';
import { EmbeddedTopicReader } from './topic-reader.ts';
import { EmbeddedTopics } from './topics.ts';

const MIB = 1024 * 1024;

export interface EmbeddedLogOptions {
  /** The data folder; the log is in its subfolder `log`. */
  readonly dir: string;
  /** Full names of the topics to open; missing ones are created. */
  readonly topics: readonly string[];
  /** Bytes a topic may hold before its oldest records are deleted, once read. Default 256 MiB. */
  readonly retentionBytes?: number;
  /**
   * Bytes a topic may hold that a reader of this process has not taken: `publish` then fails with `log_full`, and tasks wait.
   * Default 1 GiB.
   */
  readonly maxBytes?: number;
  /** Topics that this process reads: nothing of them is deleted before a reader has taken it. */
  readonly read?: readonly string[];
  /** Maximum size of a record in bytes. Default 16 MiB. */
  readonly maxRecordBytes?: number;
  /**
   * Whether `publish` waits until the records are on disk. Default false: they survive a crash of the process but not a power
   * cut. Steps and `close` always wait for the disk.
   */
  readonly durable?: boolean;
  /** Wall clock of the records' timestamps, epoch ms; default: the system's. */
  readonly now?: () => number;
  /** Default: silent. */
  readonly log?: LogFunction;
  /**
   * Called when another process may have taken the folder, or damage is found after opening; reads and writes then fail.
   * Default: logs an error.
   */
  readonly onLost?: (error: Error) => void;
}

/** An event log in a SQLite database, for one process: the same ports as Kafka, with one partition per topic. */
export interface EmbeddedLog {
  /**
   * A runner of the group's tasks on these topics. Each step (outputs, state and position, and the records before the
   * position) is committed atomically and exactly once, even if the process is killed or the power fails. `maxRecordBytes`
   * does not apply to outputs.
   */
  tasks(topics: readonly string[], group: string): TaskRunner;
  /** A reader of the whole topic, without a group. */
  reader(topic: string): TopicReader;
  /** Looks records up by offset; closing it leaves the log open. */
  records(): RecordReader;
  /** A writer; closing it leaves the log open. */
  sink(): RecordSink;
  /** Up to `limit` records, starting at `fromOffset`; a deleted offset counts as the oldest one. */
  read(topic: string, fromOffset: number, limit: number): Promise<LogRecord[]>;
  /** The offset of the oldest record. */
  startOffset(topic: string): number;
  /** The offset that the topic's next record will get. */
  endOffset(topic: string): number;
  /**
   * Deletes records for good, in all topics: no byte of them stays in the folder, nor of the task state that was deleted
   * before. Offsets of other records stay the same.
   *
   * @returns how many
   */
  erase(isErased: (topic: string, record: LogRecord) => boolean): Promise<number>;
  /** Stops readers and tasks after their current batch, syncs everything to disk and releases the folder. */
  close(): Promise<void>;
}

/**
 * Opens the log in a folder, creating the folder and the database if needed.
 *
 * @throws FolderError `data_dir_locked`, `storage_failed`; LogError `corrupt_log`, `invalid_name`
 */
export async function openEmbeddedLog(options: EmbeddedLogOptions): Promise<EmbeddedLog> {
  for (const topic of options.topics) requireName('topic', topic);
  const folder = join(options.dir, 'log');
  await createFolder(folder);
  await closeToOthers(options.dir, options.log);
  let store: LogStore | undefined;
  const onLost = (error: Error): void => {
    store?.revoke(error);
    if (options.onLost === undefined) options.log?.('error', error.message, {});
    else options.onLost(error);
  };
  const unlock = await lockFolder(folder, onLost);
  let damage: LogError | undefined;
  try {
    const check = await findDamage(folder, options.log);
    store = await LogStore.open(folder);
    let isOpen = false;
    await check((error) => {
      damage = error;
      if (isOpen) onLost(error);
    });
    if (damage !== undefined) throw damage;
    isOpen = true;
    const topics = new EmbeddedTopics(folder, store, options.topics, {
      retentionBytes: options.retentionBytes ?? 256 * MIB,
      maxBytes: Math.max(options.maxBytes ?? 1024 * MIB, options.retentionBytes ?? 256 * MIB),
      read: options.read ?? [],
      maxRecordBytes: options.maxRecordBytes ?? 16 * MIB,
      durable: options.durable ?? false,
      now: options.now ?? Date.now,
    });
    return new DatabaseLog(store, topics, options, unlock);
  } catch (error) {
    await store?.close();
    await unlock();
    throw error;
  }
}

class DatabaseLog implements EmbeddedLog {
  readonly #store: LogStore;
  readonly #topics: EmbeddedTopics;
  readonly #options: EmbeddedLogOptions;
  readonly #unlock: () => Promise<void>;
  readonly #readers = new Set<{ stop(): Promise<void> }>();
  /** `group/topic` of each running task: two runners of a group must not process the same topic. */
  readonly #claims = new Set<string>();
  #closing: Promise<void> | undefined;

  constructor(
    store: LogStore,
    topics: EmbeddedTopics,
    options: EmbeddedLogOptions,
    unlock: () => Promise<void>,
  ) {
    this.#store = store;
    this.#topics = topics;
    this.#options = options;
    this.#unlock = unlock;
  }

  tasks(topics: readonly string[], group: string): TaskRunner {
    requireName('group', group);
    return new EmbeddedTaskRunner({
      group,
      topics: this.#topics,
      log: this.#options.log,
      claim: (runner) => this.#claim(topics, group, runner),
    });
  }

  reader(topic: string): TopicReader {
    const reader = new EmbeddedTopicReader(this.#topics.topic(topic), this.#options.log);
    this.#readers.add(reader);
    return reader;
  }

  records(): RecordReader {
    return {
      bounds: ({ topic }) => {
        const { start, end } = this.#topics.topic(topic);
        return Promise.resolve({ start, end });
      },
      read: async ({ topic }, from, limit) => {
        const records = await this.read(topic, from, limit);
        const next = (records.at(-1)?.offset ?? -1) + 1;
        return { records, next: Math.max(from, next, this.#topics.topic(topic).start) };
      },
      close: () => Promise.resolve(),
    };
  }

  sink(): RecordSink {
    let isOpen = false;
    return {
      open: () => {
        this.#store.requireOpen();
        isOpen = true;
        return Promise.resolve();
      },
      publish: async (records) => {
        if (!isOpen) throw sinkNotOpen();
        await this.#topics.publish(records);
      },
      close: async () => {
        isOpen = false;
        if (!this.#store.isRevoked) await this.#topics.sync();
      },
    };
  }

  async read(topic: string, fromOffset: number, limit: number): Promise<LogRecord[]> {
    const log = this.#topics.topic(topic);
    const records: LogRecord[] = [];
    for (let from = fromOffset; records.length < limit; ) {
      const more = log.read(from, limit - records.length);
      const last = more.at(-1);
      if (last === undefined) break;
      records.push(...more);
      from = last.offset + 1;
      // Yield to sockets and timers between two long reads.
      await new Promise(setImmediate);
    }
    return records;
  }

  erase(isErased: (topic: string, record: LogRecord) => boolean): Promise<number> {
    return this.#topics.erase(isErased);
  }

  startOffset(topic: string): number {
    return this.#topics.topic(topic).start;
  }

  endOffset(topic: string): number {
    return this.#topics.topic(topic).end;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all(Array.from(this.#readers, (reader) => reader.stop()));
    this.#store.revoke(new LogError('log_closed', `The embedded log in ${this.#options.dir} is closed.`));
    try {
      await this.#store.close();
    } finally {
      await this.#unlock();
    }
  }

  /** @throws LogError `group_in_use` */
  #claim(names: readonly string[], group: string, runner: EmbeddedTaskRunner): TaskClaim {
    const topics = names.map((name) => this.#topics.topic(name));
    const claimed = names.find((name) => this.#claims.has(`${group}/${name}`));
    if (claimed !== undefined) {
      throw new LogError(
        'group_in_use',
        `Group ${group} already reads topic ${claimed} of the embedded log, which has one partition. Use another group, or Kafka to share the load.`,
      );
    }
    for (const name of names) this.#claims.add(`${group}/${name}`);
    this.#readers.add(runner);
    return {
      topics,
      release: () => {
        for (const name of names) this.#claims.delete(`${group}/${name}`);
        this.#readers.delete(runner);
      },
    };
  }
}

function requireName(what: 'topic' | 'group', name: string): void {
  if (/^[A-Za-z0-9._-]{1,200}$/.test(name) && name !== '.' && name !== '..') return;
  throw new LogError(
    'invalid_name',
    `"${name}" cannot be the name of a ${what} in the embedded log: use 1 to 200 of the characters A-Z a-z 0-9 . _ -.`,
  );
}
