import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { closeToOthers, createFolder, type LogFunction, lockFolder } from '@loopwatch/platform';
import { LogError } from '../port/errors.ts';
import type { LogRecord, VerdictSink } from '../port/ports.ts';
import type { TaskRunner } from '../port/task.ts';
import type { RecordReader, TopicReader } from '../port/topic-reader.ts';
import { GroupClaims } from './claims.ts';
import { storageError } from './files.ts';
import { GroupSteps } from './steps.ts';
import { EmbeddedTaskRunner } from './task-runner.ts';
import type { TopicLog } from './topic.ts';
import { EmbeddedTopicReader } from './topic-reader.ts';
import { EmbeddedTopics } from './topics.ts';

const mib = 1024 * 1024;
const journalExtension = '.journal';

export interface EmbeddedLogOptions {
  /** The data folder; the log lives in its subfolder `log`. */
  readonly dir: string;
  /** Full names of the topics there are. */
  readonly topics: readonly string[];
  /** Bytes after which a topic's file is followed by a new one. Default 8 MiB. */
  readonly segmentBytes?: number;
  /** Bytes a topic may take before its oldest files go. Default 256 MiB. */
  readonly retentionBytes?: number;
  /** Bytes of the largest record taken. Default 16 MiB. */
  readonly maxRecordBytes?: number;
  /**
   * Whether `publish` waits until the records are on the disk. Default false: they are in the file, which survives the
   * death of the process but not a power cut; commits, steps and `close` wait for the disk in either case.
   */
  readonly durable?: boolean;
  /** Bytes a group's journal may take before it is rewritten without what is outdated. Default 1 MiB. */
  readonly journalBytes?: number;
  /** Default: silent. */
  readonly log?: LogFunction;
  /** Called when another process may have taken the folder; nothing can be read or written any more. Default: an error in the log. */
  readonly onLockLost?: (error: Error) => void;
}

/** An event log in files, for one process: the same ports as Kafka, with one partition a topic. */
export interface EmbeddedLog {
  /**
   * The work of the group on these topics. Each step is durable as a whole, exactly once, whenever the process is killed
   * or the power fails: outputs, kept state and position, and the records behind which the position is. Its outputs are
   * what `maxRecordBytes` does not apply to.
   */
  tasks(topics: readonly string[], group: string): TaskRunner;
  /** A reader of the whole topic, for itself. */
  reader(topic: string): TopicReader;
  /** Looks records up by their offset; closing it leaves the log open. */
  records(): RecordReader;
  /** A writer; closing it leaves the log open. */
  sink(): VerdictSink;
  /** Up to `limit` records from `fromOffset` on; offsets that are gone count as the oldest there is. */
  read(topic: string, fromOffset: number, limit: number): Promise<LogRecord[]>;
  /** The offset of the oldest record there still is. */
  startOffset(topic: string): number;
  /** The offset the topic's next record will get. */
  endOffset(topic: string): number;
  /** Stops readers and tasks, waiting for what they are at, puts everything on disk and frees the folder. */
  close(): Promise<void>;
}

/**
 * Opens the log in a folder, creating what is not there.
 *
 * @throws FolderError `data_dir_locked`, `storage_failed`; LogError `corrupt_log`, `storage_failed`, `invalid_name`
 */
export async function openEmbeddedLog(options: EmbeddedLogOptions): Promise<EmbeddedLog> {
  for (const topic of options.topics) requireName('topic', topic);
  const folder = join(options.dir, 'log');
  await createFolder(join(folder, 'groups')).catch((error: unknown) => {
    throw storageError(`create ${folder}`, error);
  });
  await closeToOthers(options.dir, options.log);
  const log = new FileLog(folder, options);
  await log.open();
  return log;
}

class FileLog implements EmbeddedLog {
  readonly #folder: string;
  readonly #groupsFolder: string;
  readonly #options: EmbeddedLogOptions;
  readonly #topics: EmbeddedTopics;
  readonly #steps = new Map<string, Promise<GroupSteps>>();
  readonly #readers = new Set<{ stop(): Promise<void> }>();
  readonly #claims = new GroupClaims();
  #unlock: () => Promise<void> = () => Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(folder: string, options: EmbeddedLogOptions) {
    this.#folder = folder;
    this.#groupsFolder = join(folder, 'groups');
    this.#options = options;
    const limits = {
      segmentBytes: options.segmentBytes ?? 8 * mib,
      retentionBytes: options.retentionBytes ?? 256 * mib,
      maxRecordBytes: options.maxRecordBytes ?? 16 * mib,
      durable: options.durable ?? false,
    };
    this.#topics = new EmbeddedTopics(folder, limits, options.log);
  }

  async open(): Promise<void> {
    this.#unlock = await lockFolder(this.#folder, (error) => {
      this.#topics.revoke(error);
      if (this.#options.onLockLost === undefined) this.#options.log?.('error', error.message, {});
      else this.#options.onLockLost(error);
    });
    try {
      for (const name of this.#options.topics) await this.#topics.open(name);
      await this.#recoverSteps();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  tasks(topics: readonly string[], group: string): TaskRunner {
    requireName('group', group);
    const claim = (runner: EmbeddedTaskRunner) =>
      this.#claim(topics, group, runner, async () => ({ steps: await this.#groupSteps(group) }));
    return new EmbeddedTaskRunner({ group, log: this.#options.log, claim });
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
        const behind = Math.max(from, (records.at(-1)?.offset ?? -1) + 1);
        return { records, next: this.#topics.topic(topic).readable(behind) };
      },
      close: () => Promise.resolve(),
    };
  }

  sink(): VerdictSink {
    let open = false;
    return {
      open: () => {
        this.#topics.requireOpen();
        open = true;
        return Promise.resolve();
      },
      publish: async (records) => {
        if (!open) throw new LogError('log_closed', 'Cannot write: the sink is not open. Call open() first.');
        await this.#topics.publish(records);
      },
      close: async () => {
        open = false;
        if (!this.#topics.isRevoked) await this.#topics.sync();
      },
    };
  }

  async read(topic: string, fromOffset: number, limit: number): Promise<LogRecord[]> {
    const log = this.#topics.topic(topic);
    const records: LogRecord[] = [];
    for (let from = fromOffset; records.length < limit; ) {
      const more = await log.read(from, limit - records.length);
      const last = more.at(-1);
      if (last === undefined) break;
      records.push(...more);
      from = last.offset + 1;
    }
    return records;
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
    this.#topics.revoke(new LogError('log_closed', `The embedded log in ${this.#folder} is closed.`));
    try {
      for (const steps of this.#steps.values()) await (await steps).close();
    } finally {
      await this.#topics.close().finally(() => this.#unlock());
    }
  }

  /** Brings the topics to where the journals of all groups say they are, before anyone writes. */
  async #recoverSteps(): Promise<void> {
    const files = await readdir(this.#groupsFolder).catch((error: unknown) => {
      throw storageError(`read ${this.#groupsFolder}`, error);
    });
    for (const file of files.filter((name) => name.endsWith(journalExtension))) {
      await this.#groupSteps(file.slice(0, -journalExtension.length));
    }
  }

  /** Makes a reader the group's only one of the topics, and finds what it needs. */
  async #claim<T>(
    topics: readonly string[],
    group: string,
    reader: { stop(): Promise<void> },
    find: () => Promise<T>,
  ): Promise<T & { topics: TopicLog[]; release: () => void }> {
    const logs = topics.map((topic) => this.#topics.topic(topic));
    const giveBack = this.#claims.take(group, topics);
    const release = () => {
      giveBack();
      this.#readers.delete(reader);
    };
    this.#readers.add(reader);
    try {
      return { ...(await find()), topics: logs, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  #groupSteps(group: string): Promise<GroupSteps> {
    const path = join(this.#groupsFolder, group + journalExtension);
    const { journalBytes = mib, log } = this.#options;
    return once(this.#steps, group, () => GroupSteps.open(path, journalBytes, this.#topics, log));
  }
}

/** The value of a key, made when it is first asked for, and again when that failed. */
function once<T>(values: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const known = values.get(key);
  if (known !== undefined) return known;
  const made = make();
  values.set(key, made);
  made.catch(() => values.delete(key));
  return made;
}

function requireName(what: 'topic' | 'group', name: string): void {
  if (/^[A-Za-z0-9._-]{1,200}$/.test(name) && !['.', '..', 'groups'].includes(name)) return;
  throw new LogError(
    'invalid_name',
    `"${name}" cannot be the name of a ${what} in the embedded log: use 1 to 200 of the characters A-Z a-z 0-9 . _ -, and not "groups".`,
  );
}
