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

/** Rows per insert statement, which is cheaper than one statement per row. */
const ROWS_PER_INSERT = 20;

/** Where a record begins: its offset, and the bytes of all records that were ever before it. */
export interface Place {
  readonly offset: number;
  readonly bytes: number;
}

const noHeaders: RecordHeaders = Object.freeze({});

/** The database table with the records of one topic. */
export class RecordTable {
  readonly #store: LogStore;
  readonly #name: string;

  private constructor(store: LogStore, name: string) {
    this.#store = store;
    this.#name = name;
  }

  /** Opens the table of a topic, creating it if needed. */
  static open(store: LogStore, topic: string): RecordTable {
    return store.transaction(() => {
      store.run('insert or ignore into topics (name) values (?)', [topic]);
      const [row] = store.query('select id from topics where name = ?', [topic]);
      const name = `records_${Number(row?.['id'])}`;
      store.run(
        `create table if not exists ${name} (
           offset integer primary key, bytes_before integer not null, timestamp real not null, key blob, value blob, headers text
         )`,
        [],
      );
      return new RecordTable(store, name);
    });
  }

  /** The place of the first record from `offset` on, or with at least `bytes` before it, whichever is earlier. */
  placeOf(offset: number, bytes: number): Place | undefined {
    const [row] = this.#store.query(
      `select offset, bytes_before from ${this.#name} where offset >= ? or bytes_before >= ? order by offset limit 1`,
      [offset, bytes],
    );
    return row && { offset: Number(row['offset']), bytes: Number(row['bytes_before']) };
  }

  /** The place after the last record. */
  end(): Place | undefined {
    const [last] = this.#store.query(`select * from ${this.#name} order by offset desc limit 1`, []);
    return (
      last && {
        offset: Number(last['offset']) + 1,
        bytes: Number(last['bytes_before']) + sizeOf(toRecord(last)),
      }
    );
  }

  /** @param now timestamp of records that have none. @returns the place after them */
  insert(records: readonly Omit<OutputRecord, 'topic'>[], from: Place, now: number): Place {
    let { offset, bytes } = from;
    for (let at = 0; at < records.length; at += ROWS_PER_INSERT) {
      const some = records.slice(at, at + ROWS_PER_INSERT);
      const parameters: Parameter[] = [];
      for (const record of some) {
        const { key, value, headers = noHeaders, timestamp = now } = record;
        parameters.push(offset, bytes, timestamp, toBuffer(key), toBuffer(value), encodeHeaders(headers));
        offset += 1;
        bytes += sizeOf(record);
      }
      const rows = some.map(() => '(?, ?, ?, ?, ?, ?)').join();
      this.#store.run(`insert into ${this.#name} values ${rows}`, parameters);
    }
    return { offset, bytes };
  }

  /** Up to `limit` of the records from `from` on and before `end`. */
  read(from: number, end: number, limit: number): LogRecord[] {
    // A repaired log has gaps.
    const rows = this.#store.query(
      `select offset, timestamp, key, value, headers from ${this.#name}
       where offset >= ?1 and offset < ?2
         and bytes_before <= ?3 + (select bytes_before from ${this.#name} where offset >= ?1 order by offset limit 1)
       order by offset limit ?4`,
      [from, end, MAX_READ_BYTES, Math.min(limit, MAX_READ_RECORDS)],
    );
    return rows.map(toRecord);
  }

  deleteBefore(offset: number): void {
    this.#store.run(`delete from ${this.#name} where offset < ?`, [offset]);
  }

  delete(offset: number): void {
    this.#store.run(`delete from ${this.#name} where offset = ?`, [offset]);
  }

  /** Deletes a record's content, but keeps its place. */
  empty(offset: number): void {
    this.#store.run(`update ${this.#name} set key = null, value = null, headers = null where offset = ?`, [
      offset,
    ]);
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
