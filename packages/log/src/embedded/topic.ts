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

/** What a topic may hold. */
export interface TopicSize {
  /** Records that every reader has taken are deleted beyond this many bytes. */
  readonly retentionBytes: number;
  /** Records that a reader of this process has not taken yet are never deleted: beyond this many bytes the topic is full. */
  readonly maxBytes: number;
}

/** How far a reader of this process is: it has not taken the records from `unread`, and may want those from `wanted` again. */
interface Hold {
  readonly unread: number;
  readonly wanted: number;
}

/** Holds everything until the first reader says how far it is. */
const AWAITED = {};

const noHeaders: RecordHeaders = Object.freeze({});

/** One topic of the embedded log: the records of its only partition, and the readers waiting for more. */
export class TopicLog {
  readonly name: string;
  readonly #store: LogStore;
  readonly #size: TopicSize;
  readonly #holds = new Map<object, Hold>();
  readonly #waitingForRoom = new Set<() => void>();
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

  private constructor(name: string, id: number, store: LogStore, size: TopicSize) {
    this.name = name;
    this.#store = store;
    this.#size = size;
    this.#table = `records_${id}`;
  }

  /**
   * Opens the topic, creating it if needed.
   *
   * @param isRead whether this process will read it: until a reader says how far it is, nothing is deleted
   */
  static open(name: string, store: LogStore, size: TopicSize, isRead = false): TopicLog {
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
    const topic = new TopicLog(name, id, store, size);
    topic.#load();
    if (isRead) topic.#holds.set(AWAITED, { unread: topic.#start, wanted: topic.#start });
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
      this.#deleteOldest();
    } catch (error) {
      undo();
      throw error;
    }
    return undo;
  }

  /**
   * Deletes records for good: their bytes are overwritten once the store is {@link LogStore.scrub scrubbed}. The last record
   * determines the next offset, so it loses its content and stays.
   *
   * @returns how many
   */
  async erase(isErased: (record: LogRecord) => boolean): Promise<number> {
    const end = this.#end;
    let erased = 0;
    for (let from = this.#start; from < end; ) {
      const records = this.read(from, end - from);
      const last = records.at(-1);
      if (last === undefined) break;
      from = last.offset + 1;
      const found = records.filter(isErased).map(({ offset }) => offset);
      if (found.length > 0)
        this.#store.transaction(() => {
          for (const offset of found) this.#eraseOne(offset);
        });
      erased += found.length;
      // Sockets and timers must not wait for hundreds of megabytes.
      await new Promise(setImmediate);
    }
    return erased;
  }

  #eraseOne(offset: number): void {
    // Sizes are sums over all records, from the first to the last: those two keep their places.
    const stays = offset === this.#next - 1 || offset === this.#start;
    this.#store.run(
      stays
        ? `update ${this.#table} set key = null, value = null, headers = null where offset = ?`
        : `delete from ${this.#table} where offset = ?`,
      [offset],
    );
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
    if (first >= this.#end) return [];
    // A repaired log has gaps.
    const rows = this.#store.query(
      `select offset, timestamp, key, value, headers from ${this.#table}
       where offset >= ?1 and offset < ?2
         and bytes_before <= ?3 + (select bytes_before from ${this.#table} where offset >= ?1 order by offset limit 1)
       order by offset limit ?4`,
      [first, this.#end, MAX_READ_BYTES, Math.min(limit, MAX_READ_RECORDS)],
    );
    return rows.map(toRecord);
  }

  /** Says how far a reader of this process is. @param wanted records that it may read again, if they still exist */
  hold(reader: object, unread: number, wanted = unread): void {
    this.#holds.delete(AWAITED);
    this.#holds.set(reader, { unread, wanted });
    if (this.#waitingForRoom.size === 0 || this.isFull) return;
    for (const wake of [...this.#waitingForRoom]) wake();
  }

  /** The reader reads no more, and will begin elsewhere. */
  release(reader: object): void {
    this.#holds.delete(reader);
  }

  /** Bytes that the topic holds. */
  get bytes(): number {
    return this.#bytes - this.#deletedBytes;
  }

  get maxBytes(): number {
    return this.#size.maxBytes;
  }

  /** Whether records that a reader has not taken fill the topic; deletes what all have taken. */
  get isFull(): boolean {
    if (this.bytes <= this.#size.maxBytes) return false;
    const before = [this.#start, this.#deletedBytes] as const;
    try {
      this.#store.transaction(() => {
        this.#deleteOldest();
      });
    } catch (error) {
      [this.#start, this.#deletedBytes] = before;
      throw error;
    }
    return this.bytes > this.#size.maxBytes && this.#heldFrom('unread') < this.#next;
  }

  /** Resolves once the topic is not full, or the signal is aborted. */
  async waitForRoom(signal: AbortSignal): Promise<void> {
    if (signal.aborted || !this.isFull) return;
    await new Promise<void>((resolve) => {
      const wake = () => {
        this.#waitingForRoom.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waitingForRoom.add(wake);
      signal.addEventListener('abort', wake);
    });
  }

  #heldFrom(what: keyof Hold): number {
    let from = Infinity;
    for (const hold of this.#holds.values()) from = Math.min(from, hold[what]);
    return from;
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
    const { retentionBytes, maxBytes } = this.#size;
    this.#deleteBeyond(retentionBytes, this.#heldFrom('wanted'));
    this.#deleteBeyond(maxBytes, this.#heldFrom('unread'));
  }

  /** Deletes the oldest records beyond a size, but none from an offset on. */
  #deleteBeyond(limit: number, heldFrom: number): void {
    if (this.bytes <= limit || heldFrom <= this.#start) return;
    const slack = Math.min(RETENTION_SLACK, limit / 8);
    // The last record stays, because it determines the next offset.
    const until = Math.min(heldFrom, this.#next - 1);
    const [first] = this.#store.query(
      `select offset from ${this.#table} where offset < ? and bytes_before >= ? order by offset limit 1`,
      [until, Math.floor(this.#bytes - limit + slack)],
    );
    this.#start = Number(first?.['offset'] ?? until);
    const [start] = this.#store.query(`select bytes_before from ${this.#table} where offset = ?`, [
      this.#start,
    ]);
    this.#deletedBytes = start === undefined ? this.#bytes : Number(start['bytes_before']);
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
