import { basename, dirname } from 'node:path';
import { type Translation, Translator } from '@loopwatch/formats';
import type { FormatChoice } from './formats.ts';
import { readLines } from './read-lines.ts';

/** What one line of a file says. */
export interface FileRecord extends Translation {
  /** From 1. */
  readonly line: number;
  /** As it stands in the file; undefined for what is made of several lines. */
  readonly text: string | undefined;
}

const nothing = {
  line: 0,
  text: undefined,
  events: [],
  ignored: [],
  faults: [],
  hasCopies: true,
  isPending: false,
  isCanonical: false,
};
/** A document is parsed as a whole, which takes several times its size in memory. */
const MAX_DOCUMENT_UNITS = 256 * 1024 * 1024;

/**
 * Reads the records of files, whatever their format. Files of one session that follow each other are one stream: some
 * producers write a file an event.
 */
export class RecordReader {
  readonly #format: FormatChoice;
  readonly #only: string | undefined;
  #session: string | undefined;
  #translator: Translator | undefined;

  /**
   * @param format a format's name, or `auto`
   * @param session the session that all files belong to; by default a file's name says it
   */
  constructor(format: FormatChoice, session?: string) {
    this.#format = format;
    this.#only = session;
  }

  /**
   * The records of a file, those that came together at a time.
   *
   * @param onBytes told of the bytes read so far, as they lie in the file
   * @throws UsageError when the file cannot be read
   */
  async *read(file: string, onBytes?: (bytes: number) => void): AsyncGenerator<FileRecord[]> {
    const translator = this.#translatorFor(file);
    let line = 0;
    let document: string[] | undefined;
    let units = 0;
    for await (const lines of readLines(file, onBytes)) {
      if (line === 0 && beginsDocument(lines)) document = [];
      if (document !== undefined) {
        document.push(...lines);
        units += lines.reduce((sum, { length }) => sum + length, 0);
        if (units <= MAX_DOCUMENT_UNITS) continue;
        yield recordsOf(document, 0, translator);
        line += document.length;
        document = undefined;
        continue;
      }
      yield recordsOf(lines, line, translator);
      line += lines.length;
    }
    if (document !== undefined) {
      yield readDocument(document, translator);
      line += document.length;
    }
    yield [{ ...nothing, line, events: translator.end() }];
  }

  #translatorFor(file: string): Translator {
    const session = this.#only ?? sessionOf(file);
    if (this.#translator === undefined || this.#session !== session)
      this.#translator = new Translator({ format: this.#format, session });
    this.#session = session;
    return this.#translator;
  }
}

function recordsOf(lines: readonly string[], before: number, translator: Translator): FileRecord[] {
  return lines.flatMap((text, i) =>
    text.trim() === '' ? [] : [{ line: before + i + 1, text, ...translator.read(text) }],
  );
}

/** One value over several lines, or lines after all. */
function readDocument(lines: readonly string[], translator: Translator): FileRecord[] {
  const value = parsed(lines.join('\n'));
  if (value === undefined) return recordsOf(lines, 0, translator);
  return [{ line: 1, text: undefined, ...translator.readValue(value) }];
}

/** Whether the first line that is not blank begins a value that it does not end. */
function beginsDocument(lines: readonly string[]): boolean {
  const first = lines.find((line) => line.trim() !== '')?.trim();
  return first !== undefined && /^[{[]/.test(first) && parsed(first) === undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const formatEndings = new Set(['jsonl', 'ndjson', 'json', 'sse', 'txt', 'gz']);

/** The session of records that name none: the file's name, or that of the conversation's folder. */
function sessionOf(file: string): string {
  if (file === '-') return 'stdin';
  const folder = dirname(file);
  if (basename(folder) === 'events') return basename(dirname(folder));
  const [name = file, ...endings] = basename(file).split('.');
  const own = endings.filter((ending) => !formatEndings.has(ending));
  return [name, ...own].join('.');
}
