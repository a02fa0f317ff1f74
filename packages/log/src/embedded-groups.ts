import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { createFolder, storageError } from './embedded-files.ts';
import { LogError, messageOf } from './errors.ts';

/** What a group file holds: the offset of the next record to read, by topic and partition. */
interface GroupFile {
  readonly v: 1;
  readonly offsets: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** The committed offsets of one group, in `<folder>/<group>.json`; the file is always a whole one. */
export class GroupOffsets {
  readonly #path: string;
  readonly #offsets: Map<string, number>;
  /** Puts on disk what the offsets speak of; they must not point behind records a power cut can take away. */
  readonly #syncLog: () => Promise<void>;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  private constructor(path: string, offsets: Map<string, number>, syncLog: () => Promise<void>) {
    this.#path = path;
    this.#offsets = offsets;
    this.#syncLog = syncLog;
  }

  /** @throws LogError `corrupt_log`, `storage_failed`. */
  static async open(folder: string, group: string, syncLog: () => Promise<void>): Promise<GroupOffsets> {
    const path = join(folder, `${group}.json`);
    try {
      await createFolder(folder);
      const text = await readFile(path, 'utf8').catch((error: unknown) => {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
        throw error;
      });
      return new GroupOffsets(
        path,
        text === undefined ? new Map<string, number>() : parse(path, text),
        syncLog,
      );
    } catch (error) {
      throw storageError(`read the offsets of group ${group}`, error);
    }
  }

  /** The offset to go on from; undefined when the group never committed one. */
  committed(topic: string): number | undefined {
    return this.#offsets.get(topic);
  }

  /** Resolves once the offset is on disk; commits that come together are written together. */
  async commit(topic: string, offset: number): Promise<void> {
    this.#offsets.set(topic, offset);
    if (this.#running === undefined) {
      this.#running = this.#write().finally(() => {
        this.#running = undefined;
      });
      return this.#running;
    }
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        this.#running = this.#write().finally(() => {
          this.#running = undefined;
        });
        return this.#running;
      });
    return this.#next;
  }

  async #write(): Promise<void> {
    const offsets = Object.fromEntries(
      Array.from(this.#offsets, ([topic, offset]) => [topic, { 0: offset }]),
    );
    const content: GroupFile = { v: 1, offsets };
    const temporary = `${this.#path}.tmp`;
    try {
      await this.#syncLog();
      const file = await open(temporary, 'w');
      try {
        await file.writeFile(`${JSON.stringify(content)}\n`);
        await file.datasync();
      } finally {
        await file.close();
      }
      await rename(temporary, this.#path);
    } catch (error) {
      throw storageError(`commit to ${this.#path}`, error);
    }
  }
}

function parse(path: string, text: string): Map<string, number> {
  const fail = (what: string) =>
    new LogError(
      'corrupt_log',
      `${path} cannot be read: ${what}. Stop Loopwatch and delete the file; the group then starts at the beginning of the log.`,
    );
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw fail(messageOf(error));
  }
  if (!isGroupFile(content)) throw fail('it is not a file of offsets');
  return new Map(Object.entries(content.offsets).map(([topic, partitions]) => [topic, partitions[0] ?? 0]));
}

function isGroupFile(content: unknown): content is GroupFile {
  if (typeof content !== 'object' || content === null || !('offsets' in content)) return false;
  const { offsets } = content;
  if (typeof offsets !== 'object' || offsets === null) return false;
  return Object.values(offsets).every(
    (partitions: unknown) =>
      typeof partitions === 'object' &&
      partitions !== null &&
      Object.values(partitions).every((offset) => Number.isSafeInteger(offset)),
  );
}
