import { type FileHandle, open, rm, truncate, writeFile } from 'node:fs/promises';
import { type LogFunction, privateFile, syncFolder } from '@loopwatch/platform';
import type { LogRecord } from '../port/ports.ts';
import { storageError } from './files.ts';
import { behindLost, type LostRange } from './lost.ts';
import { Segment } from './segment.ts';
import { openSegments, type SegmentFiles } from './segments.ts';

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
export const readBytes = 8 * 1024 * 1024;

/** The segments of a topic's one partition, oldest first, in its folder. Writes have to come one after the other. */
export class TopicFiles {
  readonly #folder: string;
  readonly #limits: TopicLimits;
  readonly #segments: Segment[];
  readonly #lost: readonly LostRange[];
  #file: FileHandle;
  /** Writes so far. One at first: what the process before wrote may not have reached the disk. */
  #written = 1;
  /** Writes that are on the disk. */
  #synced = 0;
  /** Whether what a failed write left behind still has to be cut off. */
  #torn = false;

  private constructor(
    folder: string,
    limits: TopicLimits,
    { segments, lost }: SegmentFiles,
    file: FileHandle,
  ) {
    this.#folder = folder;
    this.#limits = limits;
    this.#segments = segments;
    this.#lost = lost;
    this.#file = file;
  }

  /** Creates the folder if needed, and cuts off what a crash left half written. */
  static async open(folder: string, limits: TopicLimits, log: LogFunction | undefined): Promise<TopicFiles> {
    try {
      const files = await openSegments(folder, log);
      return new TopicFiles(folder, limits, files, await open(lastOf(files.segments).path, 'a', privateFile));
    } catch (error) {
      throw storageError(`open the topic in ${folder}`, error);
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

  /** The first offset from this one on whose record there is or will be: retention and repairs leave gaps. */
  readable(offset: number): number {
    return behindLost(this.#lost, Math.max(offset, this.start));
  }

  /** Begins a new segment if the last one is full. @returns bytes that are to be written to it at most, or one line */
  async room(): Promise<number> {
    await this.#cut();
    if (this.#active.size >= this.#limits.segmentBytes) await this.#roll();
    return this.#limits.segmentBytes - this.#active.size;
  }

  /** Appends all of the lines, or none. */
  async append(lines: readonly Buffer[]): Promise<void> {
    await this.#cut();
    const bytes = Buffer.concat(lines);
    try {
      await this.#file.appendFile(bytes);
      this.#written += 1;
      if (this.#limits.durable) await this.#datasync();
    } catch (error) {
      // These bytes were never acknowledged; without them the file is as it was.
      this.#torn = true;
      await this.#cut().catch(() => undefined);
      throw storageError(`append to ${this.#active.path}`, error);
    }
    this.#active.grow(lines.length, bytes.length);
  }

  /** Resolves once what was appended is on the disk. */
  async flush(): Promise<void> {
    await this.#cut();
    await this.#datasync();
  }

  async #datasync(): Promise<void> {
    const written = this.#written;
    if (this.#synced >= written) return;
    try {
      await this.#file.datasync();
    } catch (error) {
      throw storageError(`write ${this.#active.path} to disk`, error);
    }
    this.#synced = Math.max(this.#synced, written);
  }

  /** Up to `limit` records from `from` on; none at the end of the log. Offsets that are gone count as the oldest. */
  async read(from: number, limit: number): Promise<LogRecord[]> {
    for (;;) {
      const first = this.readable(from);
      if (first >= this.end || limit <= 0) return [];
      const segment = this.#segments.findLast(({ base }) => base <= first);
      try {
        return (await segment?.read(first, limit, readBytes)) ?? [];
      } catch (error) {
        // Retention took the file meanwhile: the start has moved on.
        if (first < this.start) continue;
        throw storageError(`read the topic in ${this.#folder}`, error);
      }
    }
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  get #active(): Segment {
    return lastOf(this.#segments);
  }

  async #cut(): Promise<void> {
    if (!this.#torn) return;
    const { path, size } = this.#active;
    try {
      await truncate(path, size);
    } catch (error) {
      throw storageError(`cut off the end of ${path}`, error);
    }
    this.#torn = false;
  }

  async #roll(): Promise<void> {
    try {
      await this.#file.datasync();
      const segment = Segment.inFolder(this.#folder, this.end);
      await writeFile(segment.path, '', { flag: 'a', mode: privateFile });
      await syncFolder(this.#folder);
      const full = this.#file;
      this.#file = await open(segment.path, 'a', privateFile);
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
