import { type FileHandle, mkdir, open, readdir, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeLine } from './embedded-lines.ts';
import { Segment } from './embedded-segment.ts';
import { RecordTail } from './embedded-tail.ts';
import { LogError, messageOf } from './errors.ts';
import type { LogFunction } from './log-function.ts';
import type { LogRecord, OutputRecord } from './ports.ts';

export interface TopicLimits {
  /** A segment gets no more records once it holds this many bytes. */
  readonly segmentBytes: number;
  /** The oldest segments go when all together hold more than this many bytes. */
  readonly retentionBytes: number;
  /** A larger record is refused; bytes of key, value and headers. */
  readonly maxRecordBytes: number;
  /** Whether a write waits for the disk, not only for the operating system. */
  readonly durable: boolean;
}

/** A read returns no more than about this many bytes, but at least one record. */
const readBytes = 8 * 1024 * 1024;

/** One topic of the embedded log: its one partition's segments, oldest first, and the last records in memory. */
export class TopicLog {
  readonly name: string;
  readonly #folder: string;
  readonly #limits: TopicLimits;
  readonly #segments: Segment[];
  readonly #tail: RecordTail;
  readonly #waiting = new Set<() => void>();
  #file: FileHandle;
  #writes: Promise<void> = Promise.resolve();
  #unsynced = false;
  #broken: LogError | undefined;

  private constructor(
    name: string,
    folder: string,
    limits: TopicLimits,
    segments: Segment[],
    file: FileHandle,
  ) {
    this.name = name;
    this.#folder = folder;
    this.#limits = limits;
    this.#segments = segments;
    this.#file = file;
    this.#tail = new RecordTail(this.#active.end);
  }

  /**
   * Opens the topic's folder, creating it if needed, and cuts off what a crash left half written.
   *
   * @throws LogError `corrupt_log`, `storage_failed`.
   */
  static async open(
    logFolder: string,
    name: string,
    limits: TopicLimits,
    log: LogFunction | undefined,
  ): Promise<TopicLog> {
    const folder = join(logFolder, name, '0');
    try {
      await mkdir(folder, { recursive: true });
      const bases = (await readdir(folder))
        .map((file) => Segment.baseOf(file))
        .filter((base) => base !== undefined);
      bases.sort((a, b) => a - b);
      const segments = (bases.length === 0 ? [0] : bases).map((base) => Segment.inFolder(folder, base));
      for (const [index, segment] of segments.entries()) {
        const next = segments[index + 1];
        if (next === undefined) continue;
        segment.end = next.base;
        segment.size = (await stat(segment.path)).size;
      }
      const active = lastOf(segments);
      // Created here if there is none, so that it can be read.
      await (await open(active.path, 'a')).close();
      const { size } = await stat(active.path);
      await active.recover(size);
      if (active.size < size) {
        await truncate(active.path, active.size);
        log?.('warn', 'cut off the last line, which a crash had left half written', {
          file: active.path,
          bytes: size - active.size,
        });
      }
      return new TopicLog(name, folder, limits, segments, await open(active.path, 'a'));
    } catch (error) {
      throw storageError(`open topic ${name} in ${folder}`, error);
    }
  }

  /** The offset of the oldest record there still is. */
  get start(): number {
    return this.#segments[0]?.base ?? 0;
  }

  /** The offset the next record will get. */
  get end(): number {
    return this.#active.end;
  }

  /** Resolves once the records are in the file, in the order of the calls. */
  append(records: readonly OutputRecord[], now: number): Promise<void> {
    const write = this.#writes.then(() => this.#write(records, now));
    this.#writes = write.catch(() => undefined);
    return write;
  }

  /** Up to `limit` records from `from` on; none at the end of the log. Offsets that are gone count as the oldest. */
  async read(from: number, limit: number): Promise<LogRecord[]> {
    for (;;) {
      const first = Math.max(from, this.start);
      if (first >= this.end || limit <= 0) return [];
      const recent = this.#tail.read(first, limit, readBytes);
      if (recent !== undefined) return recent;
      const segment = this.#segments.findLast(({ base }) => base <= first);
      try {
        return (await segment?.read(first, limit, readBytes)) ?? [];
      } catch (error) {
        // Retention took the file meanwhile: the start has moved on.
        if (first < this.start) continue;
        throw storageError(`read topic ${this.name}`, error);
      }
    }
  }

  /** Resolves once the log holds more than up to `offset`, or the signal is aborted. */
  async waitBeyond(offset: number, signal: AbortSignal): Promise<void> {
    if (this.end > offset || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }

  /** Resolves once everything written so far is on the disk. */
  async sync(): Promise<void> {
    await this.#writes;
    if (!this.#unsynced) return;
    this.#unsynced = false;
    try {
      await this.#file.datasync();
    } catch (error) {
      this.#unsynced = true;
      throw storageError(`write topic ${this.name} to disk`, error);
    }
  }

  async close(): Promise<void> {
    await this.sync();
    await this.#file.close();
  }

  get #active(): Segment {
    return lastOf(this.#segments);
  }

  async #write(records: readonly OutputRecord[], now: number): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken;
    let next = 0;
    while (next < records.length) {
      if (this.#active.size >= this.#limits.segmentBytes) await this.#roll();
      const room = this.#limits.segmentBytes - this.#active.size;
      const batch: LogRecord[] = [];
      const lines: Buffer[] = [];
      for (let bytes = 0; bytes < room && next < records.length; next += 1) {
        const record = toLogRecord(records[next], this.end + batch.length, now);
        const line = Buffer.from(encodeLine(record));
        batch.push(record);
        lines.push(line);
        bytes += line.length;
      }
      await this.#writeLines(lines);
      this.#tail.push(batch);
      for (const wake of [...this.#waiting]) wake();
    }
  }

  async #writeLines(lines: readonly Buffer[]): Promise<void> {
    const bytes = Buffer.concat(lines);
    const { path, size } = this.#active;
    this.#unsynced = true;
    try {
      await this.#file.appendFile(bytes);
      if (this.#limits.durable) {
        await this.#file.datasync();
        this.#unsynced = false;
      }
    } catch (error) {
      const failure = storageError(`append to ${path}`, error);
      // Nobody was told that these bytes are there; without them the file is as it was.
      await truncate(path, size).catch(() => {
        this.#broken = failure;
      });
      throw failure;
    }
    this.#active.grow(lines.length, bytes.length);
  }

  async #roll(): Promise<void> {
    try {
      await this.#file.datasync();
      const segment = Segment.inFolder(this.#folder, this.end);
      const full = this.#file;
      this.#file = await open(segment.path, 'a');
      this.#segments.push(segment);
      await full.close();
      await this.#dropOldest();
    } catch (error) {
      throw storageError(`start a new segment in ${this.#folder}`, error);
    }
  }

  async #dropOldest(): Promise<void> {
    let total = this.#segments.reduce((sum, { size }) => sum + size, 0);
    while (total > this.#limits.retentionBytes && this.#segments.length > 2) {
      const oldest = this.#segments.shift();
      if (oldest === undefined) return;
      total -= oldest.size;
      await rm(oldest.path, { force: true });
    }
  }
}

function lastOf(segments: readonly Segment[]): Segment {
  const last = segments.at(-1);
  if (last === undefined) throw new Error('a topic has at least one segment');
  return last;
}

function toLogRecord(record: OutputRecord | undefined, offset: number, now: number): LogRecord {
  if (record === undefined) throw new Error('there is no record to write');
  const { key, value, headers = {}, timestamp = now } = record;
  return { offset, timestamp, key: toBuffer(key), value: toBuffer(value), headers };
}

function toBuffer(value: string | Buffer | null): Buffer | null {
  return typeof value === 'string' ? Buffer.from(value) : value;
}

/** Wraps what the file system said; a {@link LogError} stays as it is. */
export function storageError(doing: string, error: unknown): LogError {
  if (error instanceof LogError) return error;
  const advice = 'Check that the folder can be written and that the disk is not full.';
  return new LogError('storage_failed', `Cannot ${doing}: ${messageOf(error)}. ${advice}`, { cause: error });
}
