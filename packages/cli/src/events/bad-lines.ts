import { oneLine } from '@loopwatch/detectors/internal';
import { writeError } from '../runtime/output.ts';

/** Further bad lines of a file are only counted. */
const MAX_LISTED_PER_FILE = 20;
/** Messages quote the unreadable text. */
const MAX_MESSAGE_LENGTH = 300;
const EXPECTED =
  'expected JSON: one event or agent record per line, an array of them, or one document; https://github.com/loopwatch/loopwatch/blob/main/docs/connect.md#formats lists the formats';

/** Reports unreadable lines on stderr as they occur, with a summary at the end. */
export class BadLines {
  /** Lines and files. */
  total = 0;
  /** Files that could not be read to their end. */
  files = 0;
  readonly #perFile = new Map<string, number>();
  readonly #badFromStart = new Set<string>();
  readonly #write: (text: string) => void;

  constructor(write: (text: string) => void = writeError) {
    this.#write = write;
  }

  /** @param line from 1; 0 for the file as a whole, which is always reported */
  add(file: string, line: number, message: string): void {
    this.total += 1;
    if (line === 0) {
      this.files += 1;
      this.#write(`${message}\n`);
      return;
    }
    const count = (this.#perFile.get(file) ?? 0) + 1;
    if (line === 2 && count === 2) this.#badFromStart.add(file);
    this.#perFile.set(file, count);
    if (count <= MAX_LISTED_PER_FILE)
      this.#write(`${file}:${String(line)}: ${oneLine(message).slice(0, MAX_MESSAGE_LENGTH)}\n`);
  }

  /** Reports how many lines were not listed, and the expected format of files whose first lines were all bad. */
  finish(): void {
    for (const [file, count] of this.#perFile) {
      if (count > MAX_LISTED_PER_FILE)
        this.#write(`${file}: and ${formatBadLines(count - MAX_LISTED_PER_FILE, 'more ')}\n`);
      if (this.#badFromStart.has(file)) this.#write(`${file}: ${EXPECTED}\n`);
    }
  }
}

/** `1 bad line`, `2 bad lines`. */
export function formatBadLines(count: number, more = ''): string {
  return `${String(count)} ${more}bad ${count === 1 ? 'line' : 'lines'}`;
}
