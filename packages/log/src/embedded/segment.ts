import { open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { messageOf } from '@loopwatch/contract';
import { corruptError, type LogError } from '../port/errors.ts';
import type { LogRecord } from '../port/ports.ts';
import { decodeLine } from './lines.ts';

const chunkBytes = 256 * 1024;
/** Between two remembered positions of a file: a read skips at most this much. */
const markBytes = 64 * 1024;
const lineFeed = 10;
const extension = '.jsonl';

/** A line of a segment file. */
interface Line {
  readonly offset: number;
  /** Where it starts in the file. */
  readonly position: number;
  /** Without the line feed. */
  readonly bytes: Buffer;
}

/** Consecutive records of one partition in one file, named after the first one's offset; only the last segment grows. */
export class Segment {
  readonly path: string;
  readonly base: number;
  /** The offset after the last record. */
  end: number;
  /** Size of the file in bytes. */
  size: number;
  /** Some lines and where they start; grows as the file is written or read. */
  readonly #marks: { readonly offset: number; readonly position: number }[];

  constructor(path: string, base: number, end: number, size: number) {
    this.path = path;
    this.base = base;
    this.end = end;
    this.size = size;
    this.#marks = [{ offset: base, position: 0 }];
  }

  static fileName(base: number): string {
    return `${String(base).padStart(20, '0')}${extension}`;
  }

  /** The base offset a file name stands for; undefined for files that are no segments. */
  static baseOf(fileName: string): number | undefined {
    return /^\d{20}\.jsonl$/.test(fileName) ? Number(basename(fileName, extension)) : undefined;
  }

  static inFolder(folder: string, base: number): Segment {
    return new Segment(join(folder, Segment.fileName(base)), base, base, 0);
  }

  /** Counts in what was just written to the end of the file. */
  grow(records: number, bytes: number): void {
    this.#mark(this.end, this.size);
    this.end += records;
    this.size += bytes;
  }

  /**
   * Up to `limit` records from `from` on, fewer once they take `maxBytes` in the file or the segment ends.
   *
   * @throws LogError `corrupt_log` naming the line.
   */
  async read(from: number, limit: number, maxBytes: number): Promise<LogRecord[]> {
    const records: LogRecord[] = [];
    // The segment may grow meanwhile.
    const { end, size } = this;
    let bytes = 0;
    for await (const lines of this.#lines(from, size)) {
      for (const line of lines) {
        if (line.offset < from) continue;
        records.push(this.#decode(line));
        bytes += line.bytes.length;
        if (records.length >= limit || bytes >= maxBytes || line.offset + 1 >= end) return records;
      }
    }
    throw this.#corrupt(
      from + records.length,
      `the file ends before it, the next one starts with offset ${end}`,
    );
  }

  /**
   * Reads the whole file, as found after a crash, and sets `end` and `size` from it. The last line may be torn: then
   * `size` stops before it, and the caller cuts the file there.
   *
   * @throws LogError `corrupt_log` for any line but the last.
   */
  async recover(fileSize: number): Promise<void> {
    let torn: Line | undefined;
    let end = this.base;
    let size = 0;
    for await (const lines of this.#lines(this.base, fileSize)) {
      for (const line of lines) {
        if (torn !== undefined) this.#decode(torn);
        torn = undefined;
        try {
          decodeLine(line.bytes, line.offset);
          end = line.offset + 1;
          size = line.position + line.bytes.length + 1;
        } catch {
          torn = line;
        }
      }
    }
    this.end = end;
    this.size = size;
  }

  /** The complete lines of the file up to `fileSize`, a chunk at a time, from the last mark before `from` on. */
  async *#lines(from: number, fileSize: number): AsyncGenerator<Line[]> {
    const mark = this.#marks.findLast(({ offset }) => offset <= from);
    let { offset, position } = mark ?? { offset: this.base, position: 0 };
    const file = await open(this.path, 'r');
    try {
      let rest = Buffer.alloc(0);
      while (position + rest.length < fileSize) {
        // A line longer than a chunk doubles the next one, so that it is not copied once per chunk.
        const length = Math.min(Math.max(chunkBytes, rest.length), fileSize - position - rest.length);
        const { buffer, bytesRead } = await file.read(
          Buffer.alloc(length),
          0,
          length,
          position + rest.length,
        );
        if (bytesRead === 0) return;
        const chunk = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
        const lines: Line[] = [];
        let start = 0;
        for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, start)) {
          this.#mark(offset, position);
          lines.push({ offset, position, bytes: chunk.subarray(start, at) });
          offset += 1;
          position += at + 1 - start;
          start = at + 1;
        }
        rest = chunk.subarray(start);
        yield lines;
      }
    } finally {
      await file.close();
    }
  }

  #mark(offset: number, position: number): void {
    const last = this.#marks.at(-1);
    if (last !== undefined && position >= last.position + markBytes) this.#marks.push({ offset, position });
  }

  #decode(line: Line): LogRecord {
    try {
      return decodeLine(line.bytes, line.offset);
    } catch (error) {
      throw this.#corrupt(line.offset, messageOf(error));
    }
  }

  #corrupt(offset: number, what: string): LogError {
    const line = offset - this.base + 1;
    return corruptError(`Line ${line} of ${this.path}`, what);
  }
}
