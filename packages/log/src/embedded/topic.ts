import { join } from 'node:path';
import type { LogFunction } from '@loopwatch/platform';
import type { LogRecord } from '../port/ports.ts';
import { encodeLine, type NewRecord, numbered } from './lines.ts';
import { RecordTail } from './tail.ts';
import { readBytes, TopicFiles, type TopicLimits } from './topic-files.ts';

/** One topic of the embedded log: its one partition's files, the last records in memory, and who waits for more. */
export class TopicLog {
  readonly name: string;
  readonly #files: TopicFiles;
  readonly #tail: RecordTail;
  readonly #waiting = new Set<() => void>();
  #writes: Promise<void> = Promise.resolve();
  /** Records that come next, from offset `from` on, whoever writes. */
  #owed: { readonly from: number; readonly records: readonly LogRecord[] } | undefined;
  #blocked: Error | undefined;

  private constructor(name: string, files: TopicFiles) {
    this.name = name;
    this.#files = files;
    this.#tail = new RecordTail(files.end);
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
    return new TopicLog(name, await TopicFiles.open(join(logFolder, name, '0'), limits, log));
  }

  /** The offset of the oldest record there still is. */
  get start(): number {
    return this.#files.start;
  }

  /** The offset the next record will get. */
  get end(): number {
    return this.#files.end;
  }

  /** The first offset from this one on whose record there is or will be. */
  readable(offset: number): number {
    return this.#files.readable(offset);
  }

  /** Resolves once the records are in the file, in the order of the calls. */
  append(records: readonly NewRecord[], now: number): Promise<void> {
    return this.#alone(() => this.#write(records, now));
  }

  /** Runs `work` with exclusive write access to the topic, with all that is in it on the disk. */
  hold<T>(work: () => Promise<T>): Promise<T> {
    return this.#alone(async () => {
      await this.#payOff();
      await this.#files.flush();
      return work();
    });
  }

  /** The records with the offsets they get if they are what is written next; for whoever holds the topic. */
  number(records: readonly NewRecord[], now: number): LogRecord[] {
    return records.map((record, index) => numbered(record, this.end + index, now));
  }

  /**
   * Has these records written before any others, now or whenever writing is possible again. Those whose offsets are
   * taken are there already. For whoever holds the topic, or before anyone writes.
   */
  owe(records: readonly LogRecord[]): void {
    // Behind the end only if the file was tampered with; then none of them is there.
    this.#owed = { from: Math.min(records[0]?.offset ?? this.end, this.end), records };
  }

  /** Refuses every write for this reason, until there is none any more. */
  block(reason: Error | undefined): void {
    this.#blocked = reason;
  }

  /** Up to `limit` records from `from` on; none at the end of the log. Offsets that are gone count as the oldest. */
  async read(from: number, limit: number): Promise<LogRecord[]> {
    const first = this.readable(from);
    if (first >= this.end || limit <= 0) return [];
    return this.#tail.read(first, limit, readBytes) ?? this.#files.read(first, limit);
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

  /** Resolves once everything written or owed so far is on the disk. */
  async sync(): Promise<void> {
    await (this.#owed === undefined ? this.#writes : this.append([], 0));
    await this.#files.flush();
  }

  async close(): Promise<void> {
    try {
      await this.sync();
    } finally {
      await this.#files.close();
    }
  }

  /** Runs `work` when everything asked for before is done. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#writes.then(work);
    this.#writes = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  }

  async #write(records: readonly NewRecord[], now: number): Promise<void> {
    await this.#payOff();
    await this.#writeAll(records, now);
  }

  async #writeAll(records: readonly NewRecord[], now: number): Promise<void> {
    for (let next = 0; next < records.length; ) {
      const room = await this.#files.room();
      const batch: LogRecord[] = [];
      const lines: Buffer[] = [];
      for (let bytes = 0; bytes < room; next += 1) {
        const fresh = records[next];
        if (fresh === undefined) break;
        const record = numbered(fresh, this.end + batch.length, now);
        const line = Buffer.from(encodeLine(record));
        batch.push(record);
        lines.push(line);
        bytes += line.length;
      }
      await this.#files.append(lines);
      this.#tail.push(batch);
      for (const wake of [...this.#waiting]) wake();
    }
  }

  async #payOff(): Promise<void> {
    if (this.#blocked !== undefined) throw this.#blocked;
    if (this.#owed === undefined) return;
    const { from, records } = this.#owed;
    await this.#writeAll(records.slice(this.end - from), 0);
    this.#owed = undefined;
  }
}
