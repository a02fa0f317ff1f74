import { jsonFrom } from '@loopwatch/contract';
import {
  Copies,
  pythonJson,
  readKept,
  TelemetryMemory,
  type Translation,
  Translator,
  type TranslatorOptions,
} from '@loopwatch/formats';
import type { FormatChoice } from './formats.ts';
import { JsonValues, type Piece } from './json-values.ts';
import { isDatabase, readDatabase } from './read-database.ts';
import { readLines } from './read-lines.ts';
import { sessionOfFile } from './session-in-path.ts';

/** The events of one line of a file. */
export interface FileRecord extends Translation {
  /** From 1; of a database, the number of the row. */
  readonly line: number;
  /** Text of the line; undefined for a document of several lines and for a row of a database. */
  readonly text: string | undefined;
}

const emptyRecord = {
  line: 0,
  text: undefined,
  events: [],
  ignored: [],
  faults: [],
  isPending: false,
  isCanonical: false,
  records: 0,
  unknown: 0,
};
interface ReadOptions {
  /** Called with the bytes of the file read so far, before decompression. */
  readonly onBytes?: (bytes: number) => void;
  /** Whether no file follows, whose telemetry could belong to that of this one. */
  readonly isLast?: boolean;
}

/** A document is parsed as a whole, which takes several times its size in memory. */
const MAX_DOCUMENT_UNITS = 256 * 1024 * 1024;

/**
 * Reads the records of files in any known format. Consecutive files of one session form one stream: some producers write
 * one file per event.
 */
export class RecordReader {
  readonly #format: FormatChoice;
  readonly #fixedSession: string | undefined;
  readonly #isCopy: IsCopy;
  readonly #telemetry = new TelemetryMemory('files');
  #session: string | undefined;
  #translator: Translator | undefined;

  /**
   * @param format a format's name, or `auto`
   * @param session the session that all files belong to; default: named after each file
   * @param isCopy whether an event is left out, because it was copied from another session; default: one of these files
   */
  constructor(format: FormatChoice, session?: string, isCopy: IsCopy = amongThese()) {
    this.#format = format;
    this.#isCopy = isCopy;
    this.#fixedSession = session;
  }

  /**
   * The records of a file, in batches. Telemetry comes at the end, in order of time.
   *
   * @throws UsageError when the file cannot be read
   */
  async *read(file: string, { onBytes, isLast = true }: ReadOptions = {}): AsyncGenerator<FileRecord[]> {
    try {
      yield* this.#readFile(file, onBytes);
    } finally {
      // Spans and log records of one trace can be in several files, of which the last may be unreadable.
      const events = isLast ? readKept(this.#telemetry) : [];
      if (events.length > 0) yield [{ ...emptyRecord, line: 1, events }];
    }
  }

  async *#readFile(file: string, onBytes?: (bytes: number) => void): AsyncGenerator<FileRecord[]> {
    const translator = this.#translatorFor(file);
    const unfinished = new UnfinishedLine();
    let line = 0;
    if (file !== '-' && isDatabase(file)) {
      for await (const rows of readDatabase(file)) {
        const before = line;
        yield rows.map((row, i) => ({
          line: before + i + 1,
          text: undefined,
          ...translator.readValue(row),
        }));
        line += rows.length;
      }
      yield [atEnd(translator, line)];
      return;
    }
    let isBlank = true;
    let values: DocumentValues | undefined;
    for await (const lines of readLines(file, onBytes)) {
      if (isBlank && beginsDocument(lines)) values = new DocumentValues(translator);
      isBlank &&= lines.every((text) => text.trim() === '');
      yield unfinished.after(values?.read(lines, line) ?? recordsOf(lines, line, translator));
      line += lines.length;
      if (values === undefined || values.units <= MAX_DOCUMENT_UNITS) continue;
      yield unfinished.after(values.end());
      values = undefined;
    }
    if (values !== undefined) yield unfinished.after(values.end());
    yield [...unfinished.end(), atEnd(translator, line)];
  }

  #translatorFor(file: string): Translator {
    const session = this.#fixedSession ?? sessionOfFile(file);
    if (this.#translator === undefined || this.#session !== session)
      this.#translator = new Translator({
        format: this.#format,
        session,
        memory: this.#telemetry,
        isCopy: this.#isCopy,
      });
    this.#session = session;
    return this.#translator;
  }
}

type IsCopy = NonNullable<TranslatorOptions['isCopy']>;

function amongThese(): IsCopy {
  const copies = new Copies();
  return (event) => copies.isCopy(event);
}

/** What is left at the end of a file. */
function atEnd(translator: Translator, line: number): FileRecord {
  return { ...emptyRecord, line, events: translator.end() };
}

/** Holds back a broken line until it is known not to be the last one, which the agent of a live session is still writing. */
class UnfinishedLine {
  #held: readonly FileRecord[] = [];

  /** The records to pass on when these follow. */
  after(records: readonly FileRecord[]): FileRecord[] {
    if (records.length === 0) return [];
    const all = [...this.#held, ...records];
    this.#held = isBroken(all.at(-1)) ? all.slice(-1) : [];
    return all.slice(0, all.length - this.#held.length);
  }

  /** The line at the end of the file, counted as ignored. */
  end(): FileRecord[] {
    return this.#held.map((record) => ({
      ...record,
      faults: [],
      ignored: ['unfinished last line'],
      records: 0,
    }));
  }
}

function isBroken(record: FileRecord | undefined): boolean {
  return record !== undefined && record.line > 1 && /^\s*\{/.test(record.text ?? '') && isSyntaxError(record);
}

function isSyntaxError({ faults }: FileRecord): boolean {
  return faults.some(({ reason }) => reason === 'not_json');
}

function recordsOf(lines: readonly string[], before: number, translator: Translator): FileRecord[] {
  return lines.flatMap((text, i) => {
    if (text.trim() === '') return [];
    const record = { line: before + i + 1, text, ...translator.read(text) };
    const parts = isSyntaxError(record) ? partsOf(text) : [];
    return parts.length < 2
      ? [record]
      : parts.map((part) => ({ line: record.line, text: part, ...translator.read(part) }));
  });
}

/** The values in a line that has several. */
function partsOf(text: string): string[] {
  const values = new JsonValues();
  return [...values.add(text, 0), ...values.end()].flatMap(({ lines }) => lines);
}

/** The values of a file whose first one has several lines. */
class DocumentValues {
  readonly #translator: Translator;
  readonly #values = new JsonValues();
  #hasRead = false;

  constructor(translator: Translator) {
    this.#translator = translator;
  }

  get units(): number {
    return this.#values.units;
  }

  read(lines: readonly string[], before: number): FileRecord[] {
    return lines.flatMap((line, i) =>
      this.#values.add(line, before + i).flatMap((piece) => this.#recordsOf(piece)),
    );
  }

  /** Reads what remains line by line; after other values it is one that is still being written. */
  end(): FileRecord[] {
    return this.#values.end().flatMap((piece) => {
      const isUnfinished = this.#hasRead && /^\s*[{[]/.test(piece.lines[0] ?? '');
      return isUnfinished
        ? [{ ...emptyRecord, line: piece.first + 1, ignored: ['unfinished last line'] }]
        : this.#recordsOf(piece);
    });
  }

  #recordsOf({ first, lines, isValue }: Piece): FileRecord[] {
    const value = isValue && lines.length > 1 ? valueOf(lines.join('\n')) : undefined;
    if (value === undefined) return recordsOf(lines, first, this.#translator);
    this.#hasRead = true;
    return [{ line: first + 1, text: undefined, ...this.#translator.readValue(value) }];
  }
}

function valueOf(text: string): unknown {
  try {
    return pythonJson(text);
  } catch {
    return undefined;
  }
}

/** Whether the first non-blank line begins a value that continues on later lines. */
function beginsDocument(lines: readonly string[]): boolean {
  const first = lines.find((line) => line.trim() !== '')?.trim();
  return first !== undefined && /^[{[]/.test(first) && jsonFrom(first) === undefined;
}
