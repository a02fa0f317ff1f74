import type { AgentEvent, DetectionSettings } from '@loopwatch/contract';
import { acceptEvent } from '@loopwatch/contract/check';
import { type Detection, detectionOf } from '@loopwatch/detectors/internal';
import { Copies, type Fault } from '@loopwatch/formats';
import { UsageError } from '../errors.ts';
import type { BadLines } from '../events/bad-lines.ts';
import type { FormatChoice } from '../events/formats.ts';
import { IgnoredTypes } from '../events/ignored-types.ts';
import { type FileRecord, RecordReader } from '../events/read-records.ts';
import { UnderstoodRecords } from '../events/understood.ts';
import type { Source } from './find-sources.ts';
import type { ScanReport } from './scan-report.ts';
import { ScanTotals } from './scan-totals.ts';
import { ScannedSession } from './scanned-session.ts';

export interface ScanOptions {
  readonly settings: DetectionSettings;
  /** A format's name, or `auto`. */
  readonly format: FormatChoice;
  readonly bad: BadLines;
  /** Epoch ms; only what happened since then counts. Default: everything. */
  readonly since?: number;
  /** Called with the files and bytes read so far. */
  readonly onProgress: (files: number, bytes: number) => void;
}

/** Skips a file in a folder after this many leading records of unknown format. */
const MAX_UNKNOWN_RECORDS = 50;

/**
 * Analyzes histories, one source after another. After each source only the usage and the loops of its sessions remain in
 * memory. Events copied into another session count once.
 */
export class Scan {
  readonly #options: ScanOptions;
  readonly #detection: Detection;
  readonly #copies = new Copies();
  readonly #totals: ScanTotals;
  readonly #ignored = new IgnoredTypes();
  #files = 0;
  #bytes = 0;

  constructor(options: ScanOptions) {
    this.#options = options;
    this.#detection = detectionOf(options.settings);
    this.#totals = new ScanTotals(options.since ?? 0);
  }

  async read(source: Source): Promise<void> {
    // A session that another source repeats is a copy, too.
    const isCopy = (event: AgentEvent) => {
      const isOne = this.#copies.isCopy(event, `${String(source.files[0])}\n${event.sessionId ?? ''}`);
      if (isOne) this.#totals.duplicates += 1;
      return isOne;
    };
    const reader = new RecordReader(this.#options.format, source.session, isCopy);
    const sessions = new Map<string, ScannedSession>();
    for (const file of source.files) {
      const isLast = file === source.files.at(-1);
      const isRead = await this.#readFile({ file, isLast }, source.isNamed, reader, sessions);
      if (isRead === undefined) continue;
      this.#totals.addFile(source.agent, isRead);
      this.#files += 1;
    }
    for (const session of sessions.values()) this.#totals.add(session, source.agent);
    this.#bytes += source.bytes;
    this.#options.onProgress(this.#files, this.#bytes);
  }

  report(seconds: number): ScanReport {
    const ignored = this.#ignored.counts;
    const faults = this.#options.bad.total;
    return this.#totals.report({ files: this.#files, bytes: this.#bytes, seconds, ignored, faults });
  }

  /** @returns whether it is a history; undefined for a file in a folder that was removed meanwhile */
  async #readFile(
    { file, isLast }: { readonly file: string; readonly isLast: boolean },
    isNamed: boolean,
    reader: RecordReader,
    sessions: Map<string, ScannedSession>,
  ): Promise<boolean | undefined> {
    const faults = new FileFaults();
    const understood = new UnderstoodRecords();
    let isKnown = isNamed;
    try {
      const onBytes = (bytes: number) => {
        this.#options.onProgress(this.#files, this.#bytes + bytes);
      };
      const batches = reader.read(file, { onBytes, isLast });
      for await (const records of batches) {
        for (const record of records) {
          this.#addRecord(record, file, sessions, faults);
          understood.add(record);
          if (record.events.length > 0 || (record.ignored.length > 0 && record.records > 0)) isKnown = true;
        }
        if (!isKnown && faults.count >= MAX_UNKNOWN_RECORDS) break;
      }
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const failure = systemFailure(error);
      if (failure === 'ENOENT' && !isNamed) return undefined;
      // A file that cannot be read may be a history, whatever its format.
      if (failure !== undefined) isKnown = true;
      faults.add(0, error);
    }
    if (isKnown) faults.report(file, this.#options.bad);
    else if (faults.count > 0) {
      this.#totals.skipped.push(file);
      return false;
    }
    const verdict = understood.verdictOn(file);
    if (verdict !== undefined) this.#totals.notUnderstood.push(verdict);
    return true;
  }

  #addRecord(
    record: FileRecord,
    file: string,
    sessions: Map<string, ScannedSession>,
    faults: FileFaults,
  ): void {
    this.#totals.characters += record.text?.length ?? 0;
    this.#ignored.add(record.ignored);
    for (const fault of record.faults) faults.add(record.line, fault);
    for (const value of record.events) {
      const accepted = acceptEvent(value);
      if (!accepted.ok) {
        faults.add(record.line, accepted);
        continue;
      }
      const { sessionId, event } = accepted;
      let session = sessions.get(sessionId);
      if (session === undefined) {
        session = new ScannedSession(sessionId, this.#detection, file);
        sessions.set(sessionId, session);
      }
      session.project ??= event.tags?.['project'] ?? projectOf(record.text);
      session.push(event);
    }
  }
}

/** Faults of a file, collected until it is known whether the file is a history at all. */
class FileFaults {
  readonly #faults: { readonly line: number; readonly message: string }[] = [];

  get count(): number {
    return this.#faults.length;
  }

  /** @param line from 1; 0 for the file as a whole */
  add(line: number, { message }: Pick<Fault, 'message'>): void {
    this.#faults.push({ line, message });
  }

  report(file: string, bad: BadLines): void {
    for (const { line, message } of this.#faults) bad.add(file, line, message);
  }
}

/** The code of the system's error, such as EACCES, if a file could not be read for that reason. */
function systemFailure({ cause }: Error): string | undefined {
  return cause instanceof Error && 'syscall' in cause && 'code' in cause ? String(cause.code) : undefined;
}

/** The folder that a record names as the agent's; null if it names none. */
function projectOf(text: string | undefined): string | null {
  const [, quoted] = /"(?:cwd|directory)"\s*:\s*("(?:[^"\\]|\\.)+")/.exec(text?.slice(0, 20_000) ?? '') ?? [];
  return quoted === undefined
    ? null
    : ((JSON.parse(quoted) as string).split(/[\\/]/).findLast((name) => name !== '') ?? null);
}
