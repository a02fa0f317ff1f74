import {
  BytesRecord,
  type LogRecord,
  type OutputRecord,
  type RecordHeaders,
  sizeOf,
} from '../port/records.ts';
import type { LogStore, Parameter, Row } from './store.ts';

/** A read returns at most about this many bytes, but at least one record. */
const MAX_READ_BYTES = 8 * 1024 * 1024;
const MAX_READ_RECORDS = 10_000;
/** Bytes that retention deletes beyond the limit, so that not every write has to delete. */
const RETENTION_SLACK = 1024 * 1024;

/** Rows per insert statement, which is cheaper than one statement per row. */
const ROWS_PER_INSERT = 20;

const noHeaders: RecordHeaders = Object.freeze({});

/** One topic of the embedded log: the records of its only partition, and the readers waiting for more. */
export class TopicLog {
  readonly name: string;
  readonly #store: LogStore;
  readonly #retentionBytes: number;
  readonly #table: string;
  readonly #waiting = new Set<() => void>();
  #end = 0;
  /** Bytes of all records ever appended. */
  #bytes = 0;
  /** The offset that the next record to be appended gets. */
  #next = 0;
  #start = 0;
  /** Bytes of all records before `#start`. */
  #deletedBytes = 0;

  private constructor(name: string, id: number, store: LogStore, retentionBytes: number) {
    this.name = name;
    this.#store = store;
    this.#retentionBytes = retentionBytes;
    this.#table = `records_${id}`;
  }

  /** Opens the topic, creating it if needed. */
  static open(name: string, store: LogStore, retentionBytes: number): TopicLog {
    const id = store.transaction(() => {
      store.run('insert or ignore into topics (name) values (?)', [name]);
      const [row] = store.query('select id from topics where name = ?', [name]);
      store.run(
        `create table if not exists records_${Number(row?.['id'])} (
           offset integer primary key, bytes_before integer not null, timestamp real not null, key blob, value blob, headers text
         )`,
        [],
      );
      return Number(row?.['id']);
    });
    const topic = new TopicLog(name, id, store, retentionBytes);
    topic.#load();
    return topic;
  }

  /** The offset of the oldest record. */
  get start(): number {
    return this.#start;
  }

  /** The offset after the last record that readers can see. */
  get end(): number {
    return this.#end;
  }

  /** The offset that the next record to be appended gets. */
  get next(): number {
    return this.#next;
  }

  /**
   * Appends within a transaction of the store; readers see the records after `reveal`.
   *
   * @returns undoes the change of the offsets in memory; call it when the transaction fails
   */
  append(records: readonly Omit<OutputRecord, 'topic'>[], now: number): () => void {
    const before = [this.#next, this.#bytes, this.#start, this.#deletedBytes] as const;
    const undo = () => {
      [this.#next, this.#bytes, this.#start, this.#deletedBytes] = before;
    };
    try {
      for (let at = 0; at < records.length; at += ROWS_PER_INSERT)
        this.#insert(records.slice(at, at + ROWS_PER_INSERT), now);
      if (this.#bytes - this.#deletedBytes > this.#retentionBytes) this.#deleteOldest();
    } catch (error) {
      undo();
      throw error;
    }
    return undo;
  }

  /** Makes the records before `end` visible to readers. */
  reveal(end: number): void {
    if (end <= this.#end) return;
    this.#end = end;
    for (const wake of [...this.#waiting]) wake();
  }

  /**
   * Up to `limit` records, starting at `from`; none at the end of the log. A deleted offset counts as the oldest one.
   */
  read(from: number, limit: number): LogRecord[] {
    this.#store.requireOpen();
    const first = Math.max(from, this.#start);
    const until = Math.min(this.#end, first + Math.min(limit, MAX_READ_RECORDS));
    if (first >= until) return [];
    const rows = this.#store.query(
      `select offset, timestamp, key, value, headers from ${this.#table}
       where offset >= ?1 and offset < ?2
         and bytes_before <= ?3 + (select bytes_before from ${this.#table} where offset = ?1)
       order by offset`,
      [first, until, MAX_READ_BYTES],
    );
    return rows.map(toRecord);
  }

  /** Resolves once readers can see a record at `offset` or later, or the signal is aborted. */
  async waitBeyond(offset: number, signal: AbortSignal): Promise<void> {
    if (this.#end > offset || signal.aborted) return;
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

  #insert(records: readonly Omit<OutputRecord, 'topic'>[], now: number): void {
    const parameters: Parameter[] = [];
    for (const record of records) {
      const { key, value, headers = noHeaders, timestamp = now } = record;
      parameters.push(
        this.#next,
        this.#bytes,
        timestamp,
        toBuffer(key),
        toBuffer(value),
        encodeHeaders(headers),
      );
      this.#next += 1;
      this.#bytes += sizeOf(record);
    }
    const rows = records.map(() => '(?, ?, ?, ?, ?, ?)').join();
    this.#store.run(`insert into ${this.#table} values ${rows}`, parameters);
  }

  #deleteOldest(): void {
    const slack = Math.min(RETENTION_SLACK, this.#retentionBytes / 8);
    const [first] = this.#store.query(
      `select offset, bytes_before from ${this.#table} where bytes_before >= ? order by offset limit 1`,
      [Math.floor(this.#bytes - this.#retentionBytes + slack)],
    );
    // The last record stays, because it determines the next offset.
    this.#start = Number(first?.['offset'] ?? this.#next - 1);
    const [start] = this.#store.query(`select bytes_before from ${this.#table} where offset = ?`, [
      this.#start,
    ]);
    this.#deletedBytes = Number(start?.['bytes_before']);
    this.#store.run(`delete from ${this.#table} where offset < ?`, [this.#start]);
  }

  #load(): void {
    const [first] = this.#store.query(
      `select offset, bytes_before from ${this.#table} order by offset limit 1`,
      [],
    );
    const [last] = this.#store.query(`select * from ${this.#table} order by offset desc limit 1`, []);
    if (first === undefined || last === undefined) return;
    this.#start = Number(first['offset']);
    this.#deletedBytes = Number(first['bytes_before']);
    this.#next = Number(last['offset']) + 1;
    this.#bytes = Number(last['bytes_before']) + sizeOf(toRecord(last));
    this.#end = this.#next;
  }
}

function toRecord({ offset, timestamp, key, value, headers }: Row): LogRecord {
  return new BytesRecord({
    offset: Number(offset),
    timestamp: Number(timestamp),
    key: fromBlob(key),
    value: fromBlob(value),
    headers: typeof headers === 'string' ? decodeHeaders(headers) : noHeaders,
  });
}

function fromBlob(blob: Row[string] | undefined): Buffer | null {
  return blob instanceof ArrayBuffer ? Buffer.from(blob) : null;
}

function toBuffer(value: string | Buffer | null): Buffer | null {
  return typeof value === 'string' ? Buffer.from(value) : value;
}

function encodeHeaders(headers: RecordHeaders): string | null {
  const entries = Object.entries(headers);
  if (entries.length === 0) return null;
  return JSON.stringify(entries.map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')]));
}

function decodeHeaders(text: string): RecordHeaders {
  // Built from entries, so that a header named __proto__ needs no special handling.
  const entries = JSON.parse(text) as [string, string][];
  return Object.fromEntries(entries.map(([name, bytes]) => [name, Buffer.from(bytes, 'base64')]));
}
