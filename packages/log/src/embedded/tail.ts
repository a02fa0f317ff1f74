import type { LogRecord } from '../port/ports.ts';

const mostRecords = 2_000;
const mostBytes = 4 * 1024 * 1024;

/** The newest records of a topic in memory: who reads along never waits for the file. */
export class RecordTail {
  #records: LogRecord[] = [];
  #first: number;
  #bytes = 0;

  /** @param end The offset of the next record. */
  constructor(end: number) {
    this.#first = end;
  }

  push(records: readonly LogRecord[]): void {
    for (const record of records) {
      this.#records.push(record);
      this.#bytes += bytesOf(record);
    }
    if (this.#records.length > 2 * mostRecords || this.#bytes > 2 * mostBytes) this.#trim();
  }

  /** Up to `limit` records and about `maxBytes` from `from` on; undefined when they are not all here any more. */
  read(from: number, limit: number, maxBytes: number): LogRecord[] | undefined {
    if (from < this.#first) return undefined;
    const start = from - this.#first;
    const records: LogRecord[] = [];
    let bytes = 0;
    for (let index = start; records.length < limit && bytes < maxBytes; index += 1) {
      const record = this.#records[index];
      if (record === undefined) break;
      records.push(record);
      bytes += bytesOf(record);
    }
    return records;
  }

  /** Drops the oldest down to the limits, now and then instead of with each record. */
  #trim(): void {
    let drop = 0;
    while (this.#records.length - drop > mostRecords || this.#bytes > mostBytes) {
      const record = this.#records[drop];
      if (record === undefined) break;
      this.#bytes -= bytesOf(record);
      drop += 1;
    }
    this.#records = this.#records.slice(drop);
    this.#first += drop;
  }
}

function bytesOf({ key, value }: LogRecord): number {
  return (key?.length ?? 0) + (value?.length ?? 0);
}
