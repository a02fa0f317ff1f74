import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from '@loopwatch/contract';
import { type LogFunction, privateFile, syncFolder } from '@loopwatch/platform';
import { corruptError } from '../port/errors.ts';
import type { LogRecord } from '../port/ports.ts';
import type { StateChange } from '../port/task.ts';
import { storageError } from './files.ts';
import { decodeJournalLine, encodeJournalLine, type JournalLine } from './journal-line.ts';

/** What the task of a topic has come to. */
export interface Progress {
  readonly position: number;
  readonly resumeFrom: number;
  readonly state: ReadonlyMap<string, string>;
}

/** Entries of state in one line of a rewritten journal. */
const entriesPerLine = 1_000;
const lineFeed = 10;

/**
 * The steps of a group's tasks in one file, a line each: a step is durable when its line is on the disk, with all that
 * belongs to it. The file is rewritten, without what is outdated, when that outweighs the rest.
 */
export class Journal {
  readonly #path: string;
  readonly #compactBytes: number;
  readonly #progress = new Map<
    string,
    { position: number; resumeFrom: number; state: Map<string, string> }
  >();
  #file: FileHandle;
  #size = 0;
  /** What the file took when it was last rewritten. */
  #leanSize = 0;
  /** The file's name may not have reached the disk. */
  #nameUnsynced = true;
  #lastOutputs: JournalLine['outputs'] = new Map();
  /** Whether a line that could not be written may stand at the end all the same. */
  #uncertain = false;

  private constructor(path: string, compactBytes: number, file: FileHandle) {
    this.#path = path;
    this.#compactBytes = compactBytes;
    this.#file = file;
  }

  /**
   * Reads a journal, or begins one. A last line that a crash had left half written never counted and is cut off.
   *
   * @param compactBytes a smaller file is not rewritten
   * @throws LogError `corrupt_log`, `storage_failed`.
   */
  static async open(path: string, compactBytes: number, log: LogFunction | undefined): Promise<Journal> {
    let file: FileHandle | undefined;
    try {
      file = await open(path, 'a', privateFile);
      const journal = new Journal(path, compactBytes, file);
      await journal.#recover(log);
      return journal;
    } catch (error) {
      await file?.close();
      throw storageError(`read ${path}`, error);
    }
  }

  progress(topic: string): Progress | undefined {
    return this.#progress.get(topic);
  }

  /** What the last step wrote to its topics; it may be missing there. */
  get lastOutputs(): ReadonlyMap<string, readonly LogRecord[]> {
    return this.#lastOutputs;
  }

  /** Whether a line that could not be written may count when the journal is read again. */
  get isUncertain(): boolean {
    return this.#uncertain;
  }

  /**
   * Resolves when the line is on the disk; when it rejects, the line does not count, unless that is uncertain. What the
   * line before wrote to its topics has to be on the disk there.
   */
  async append(line: JournalLine): Promise<void> {
    await this.mend();
    const bytes = encodeJournalLine(line);
    try {
      if (this.#size > Math.max(this.#compactBytes, 2 * this.#leanSize)) await this.#rewrite();
      await this.#syncName();
      await this.#append(bytes);
    } catch (error) {
      throw storageError(`write ${this.#path}`, error);
    }
    this.#size += bytes.length;
    this.#apply(line);
  }

  /** Takes away a line of which it is uncertain whether it counts. */
  async mend(): Promise<void> {
    if (!this.#uncertain) return;
    try {
      await this.#cut();
    } catch (error) {
      throw storageError(`cut off the end of ${this.#path}`, error);
    }
    this.#uncertain = false;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async #append(bytes: Buffer): Promise<void> {
    try {
      await this.#file.appendFile(bytes);
      await this.#file.datasync();
    } catch (error) {
      this.#uncertain = true;
      await this.mend().catch(() => undefined);
      throw error;
    }
  }

  /** Takes away what stands behind the last line that counts. */
  async #cut(): Promise<void> {
    await this.#file.truncate(this.#size);
    await this.#file.datasync();
  }

  async #syncName(): Promise<void> {
    if (!this.#nameUnsynced) return;
    await syncFolder(dirname(this.#path));
    this.#nameUnsynced = false;
  }

  #apply({ topic, position, resumeFrom, state, outputs }: JournalLine): void {
    const kept = this.#progress.get(topic)?.state ?? new Map<string, string>();
    for (const { key, value } of state) {
      if (value === null) kept.delete(key);
      else kept.set(key, value);
    }
    this.#progress.set(topic, { position, resumeFrom, state: kept });
    this.#lastOutputs = outputs;
  }

  async #recover(log: LogFunction | undefined): Promise<void> {
    const bytes = await readFile(this.#path);
    let count = 0;
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, this.#size)) {
      count += 1;
      try {
        this.#apply(decodeJournalLine(bytes.subarray(this.#size, end)));
      } catch (error) {
        // Each line was on the disk before the next one was written.
        if (end + 1 < bytes.length) throw corruptError(`Line ${count} of ${this.#path}`, messageOf(error));
        break;
      }
      this.#size = end + 1;
    }
    const torn = bytes.length - this.#size;
    if (torn > 0) {
      log?.('warn', 'truncated the last line, left incomplete by a crash', {
        file: this.#path,
        bytes: torn,
      });
    }
    // The lines of a process that was killed may not have reached the disk; from now on they count.
    await this.#cut();
    await this.#syncName();
  }

  /** The same content in a new file. Whichever of the two a power cut leaves: until its name is synced nothing is added. */
  async #rewrite(): Promise<void> {
    const temporary = `${this.#path}.tmp`;
    await rm(temporary, { force: true });
    const file = await open(temporary, 'a', privateFile);
    let size = 0;
    try {
      for (const line of this.#content()) {
        const bytes = encodeJournalLine(line);
        await file.appendFile(bytes);
        size += bytes.length;
      }
      await file.datasync();
      await rename(temporary, this.#path);
    } catch (error) {
      await file.close();
      throw error;
    }
    const outdated = this.#file;
    this.#file = file;
    this.#size = size;
    this.#leanSize = size;
    this.#nameUnsynced = true;
    await outdated.close();
  }

  *#content(): Generator<JournalLine> {
    for (const [topic, { position, resumeFrom, state }] of this.#progress) {
      const changes: StateChange[] = Array.from(state, ([key, value]) => ({ key, value }));
      for (let at = 0; at === 0 || at < changes.length; at += entriesPerLine) {
        yield {
          topic,
          position,
          resumeFrom,
          state: changes.slice(at, at + entriesPerLine),
          outputs: new Map(),
        };
      }
    }
  }
}
