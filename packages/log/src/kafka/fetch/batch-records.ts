import type { LogRecord } from '../../port/ports.ts';
import { KafkaRecord } from './record.ts';
import { Cursor } from './varint-cursor.ts';

export interface RecordBatchBody {
  /** Unpacked. */
  readonly bytes: Buffer;
  /** Where its first record begins. */
  readonly start: number;
  readonly count: number;
  readonly baseOffset: number;
  readonly baseTimestamp: number;
  /** The broker's time of writing counts for all records. */
  readonly appended: boolean;
}

/** What a record costs beside its bytes: a batch can hold millions of tiny ones. */
const recordBytes = 100;

/** The records of one batch from the record at `from` on, taken piece by piece. */
export class BatchRecords {
  readonly #body: RecordBatchBody;
  readonly #from: number;
  readonly #cursor: Cursor;
  #read = 0;
  /** The offset behind the last record that was passed. */
  next: number;

  constructor(body: RecordBatchBody, from: number) {
    this.#body = body;
    this.#from = from;
    this.#cursor = new Cursor(body.bytes, body.start);
    this.next = from;
  }

  get isDone(): boolean {
    return this.#read >= this.#body.count;
  }

  /**
   * @returns about how many bytes were taken
   * @throws RangeError where the records are broken; those before are taken
   */
  take(enough: number, into: LogRecord[]): number {
    const { bytes, baseOffset, baseTimestamp, appended } = this.#body;
    const cursor = this.#cursor;
    let taken = 0;
    for (; !this.isDone && taken < enough; this.#read += 1) {
      const length = cursor.varint();
      const end = cursor.at + length;
      if (length <= 0 || end > bytes.length) throw new RangeError('a record reaches beyond its batch');
      cursor.at += 1; // attributes, unused
      const timestampDelta = cursor.varint();
      const offset = baseOffset + cursor.varint();
      if (offset >= this.#from) {
        const timestamp = appended ? baseTimestamp : baseTimestamp + timestampDelta;
        into.push(new KafkaRecord(offset, timestamp, bytes, cursor.at));
        taken += length + recordBytes;
        this.next = offset + 1;
      }
      cursor.at = end;
    }
    return taken;
  }
}
