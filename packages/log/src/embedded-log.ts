import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { GroupOffsets } from './embedded-groups.ts';
import { lockFolder } from './embedded-lock.ts';
import { EmbeddedSource } from './embedded-source.ts';
import { storageError, type TopicLimits, TopicLog } from './embedded-topic.ts';
import { LogError } from './errors.ts';
import type { LogFunction } from './log-function.ts';
import { groupByTopic, sizeOf } from './output-records.ts';
import type { EventSource, LogRecord, OutputRecord, VerdictSink } from './ports.ts';

const mib = 1024 * 1024;

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
   * death of the process but not a power cut; commits and `close` wait for the disk in either case.
   */
  readonly durable?: boolean;
  /** Default: silent. */
  readonly log?: LogFunction;
}

/** An event log in files, for one process: the same ports as Kafka, with one partition a topic. */
export interface EmbeddedLog {
  /** A reader for the group; several groups read the same records each at its own pace. */
  source(topics: readonly string[], group: string): EventSource;
  /** A writer; closing it leaves the log open. */
  sink(): VerdictSink;
  /** Up to `limit` records from `fromOffset` on; offsets that are gone count as the oldest there is. */
  read(topic: string, fromOffset: number, limit: number): Promise<LogRecord[]>;
  /** The offset of the oldest record there still is. */
  startOffset(topic: string): number;
  /** The offset the topic's next record will get. */
  endOffset(topic: string): number;
  /** Stops the sources, waiting for their handlers, puts everything on disk and frees the folder. */
  close(): Promise<void>;
}

/**
 * Opens the log in a folder, creating what is not there.
 *
 * @throws LogError `data_dir_locked`, `corrupt_log`, `storage_failed`, `invalid_name`.
 */
export async function openEmbeddedLog(options: EmbeddedLogOptions): Promise<EmbeddedLog> {
  for (const topic of options.topics) requireName('topic', topic);
  const folder = join(options.dir, 'log');
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw storageError(`create ${folder}`, error);
  });
  const log = new FileLog(folder, options);
  await log.open();
  return log;
}

class FileLog implements EmbeddedLog {
  readonly #folder: string;
  readonly #options: EmbeddedLogOptions;
  readonly #limits: TopicLimits;
  readonly #topics = new Map<string, TopicLog>();
  readonly #groups = new Map<string, Promise<GroupOffsets>>();
  readonly #sources = new Set<EmbeddedSource>();
  /** `group/topic` that a running source reads. */
  readonly #claims = new Set<string>();
  #unlock: () => Promise<void> = () => Promise.resolve();
  #closed: LogError | undefined;
  #closing: Promise<void> | undefined;

  constructor(folder: string, options: EmbeddedLogOptions) {
    this.#folder = folder;
    this.#options = options;
    this.#limits = {
      segmentBytes: options.segmentBytes ?? 8 * mib,
      retentionBytes: options.retentionBytes ?? 256 * mib,
      maxRecordBytes: options.maxRecordBytes ?? 16 * mib,
      durable: options.durable ?? false,
    };
  }

  async open(): Promise<void> {
    this.#unlock = await lockFolder(this.#folder, (error) => {
      this.#closed = error;
      this.#options.log?.('error', error.message, {});
    });
    try {
      for (const name of new Set(this.#options.topics)) {
        this.#topics.set(name, await TopicLog.open(this.#folder, name, this.#limits, this.#options.log));
      }
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  source(topics: readonly string[], group: string): EventSource {
    requireName('group', group);
    const claims = topics.map((topic) => `${group}/${topic}`);
    let claimed = false;
    const release = () => {
      if (claimed) for (const claim of claims) this.#claims.delete(claim);
      claimed = false;
      this.#sources.delete(source);
    };
    const source: EmbeddedSource = new EmbeddedSource({
      group,
      log: this.#options.log,
      claim: async () => {
        const logs = topics.map((topic) => this.#topic(topic));
        const taken = claims.find((claim) => this.#claims.has(claim));
        if (taken !== undefined) throw groupInUse(taken);
        for (const claim of claims) this.#claims.add(claim);
        claimed = true;
        this.#sources.add(source);
        try {
          return { topics: logs, offsets: await this.#group(group) };
        } catch (error) {
          release();
          throw error;
        }
      },
      release: () => release(),
    });
    return source;
  }

  sink(): VerdictSink {
    let open = false;
    return {
      open: () => {
        this.#requireOpen();
        open = true;
        return Promise.resolve();
      },
      publish: async (records) => {
        if (!open) throw new LogError('log_closed', 'Cannot write: the sink is not open. Call open() first.');
        await this.#publish(records);
      },
      close: async () => {
        open = false;
        if (this.#closed === undefined) await this.#sync();
      },
    };
  }

  async read(topic: string, fromOffset: number, limit: number): Promise<LogRecord[]> {
    const log = this.#topic(topic);
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
    return this.#topic(topic).start;
  }

  endOffset(topic: string): number {
    return this.#topic(topic).end;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all(Array.from(this.#sources, (source) => source.stop()));
    this.#closed ??= new LogError('log_closed', `The embedded log in ${this.#folder} is closed.`);
    try {
      for (const topic of this.#topics.values()) await topic.close();
    } finally {
      await this.#unlock();
    }
  }

  async #publish(records: readonly OutputRecord[]): Promise<void> {
    this.#requireOpen();
    const groups = Array.from(
      groupByTopic(records),
      ([topic, ofTopic]) => [this.#topic(topic), ofTopic] as const,
    );
    for (const record of records) this.#requireSize(record);
    const now = Date.now();
    await Promise.all(groups.map(([topic, ofTopic]) => topic.append(ofTopic, now)));
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

  #requireOpen(): void {
    if (this.#closed !== undefined) throw this.#closed;
  }

  #topic(name: string): TopicLog {
    this.#requireOpen();
    const topic = this.#topics.get(name);
    if (topic !== undefined) return topic;
    const there = [...this.#topics.keys()].join(', ');
    throw new LogError(
      'topic_missing',
      `Topic ${name} does not exist in ${this.#folder}; there are ${there}. Check the topic names in the kafka settings.`,
    );
  }

  #group(name: string): Promise<GroupOffsets> {
    let group = this.#groups.get(name);
    if (group === undefined) {
      group = GroupOffsets.open(join(this.#folder, 'groups'), name, () => this.#sync());
      this.#groups.set(name, group);
      group.catch(() => this.#groups.delete(name));
    }
    return group;
  }

  async #sync(): Promise<void> {
    this.#requireOpen();
    await Promise.all(Array.from(this.#topics.values(), (topic) => topic.sync()));
  }
}

function groupInUse(claim: string): LogError {
  const [group, topic] = claim.split('/');
  return new LogError(
    'group_in_use',
    `Group ${group ?? ''} already reads topic ${topic ?? ''} of the embedded log, which has one partition. Use another group, or Kafka to share the load.`,
  );
}

function requireName(what: 'topic' | 'group', name: string): void {
  if (/^[A-Za-z0-9._-]{1,200}$/.test(name) && !['.', '..', 'groups'].includes(name)) return;
  throw new LogError(
    'invalid_name',
    `"${name}" cannot be the name of a ${what} in the embedded log: use 1 to 200 of the characters A-Z a-z 0-9 . _ -, and not "groups".`,
  );
}
