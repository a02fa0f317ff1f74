import type { LogRecord, OutputRecord } from '../port/records.ts';
import { type Place, RecordTable } from './record-table.ts';
import type { LogStore } from './store.ts';
import { Waiters } from './waiters.ts';

/** Bytes that retention deletes beyond the limit, so that not every write has to delete. */
const RETENTION_SLACK = 1024 * 1024;

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

const beginning: Place = { offset: 0, bytes: 0 };

/** One topic of the embedded log: the records of its only partition, and the readers waiting for more. */
export class TopicLog {
  readonly name: string;
  readonly #store: LogStore;
  readonly #table: RecordTable;
  readonly #size: TopicSize;
  readonly #holds = new Map<object, Hold>();
  readonly #waitingForRecords = new Waiters();
  readonly #waitingForRoom = new Waiters();
  /** Of the oldest record. */
  #start: Place;
  /** Of the next record to be appended. */
  #next: Place;
  #end: number;

  /**
   * Opens the topic, creating it if needed.
   *
   * @param isRead whether this process will read it: until a reader says how far it is, nothing is deleted
   */
  constructor(name: string, store: LogStore, size: TopicSize, isRead = false) {
    this.name = name;
    this.#store = store;
    this.#size = size;
    this.#table = RecordTable.open(store, name);
    this.#start = this.#table.placeOf(0, 0) ?? beginning;
    this.#next = this.#table.end() ?? beginning;
    this.#end = this.#next.offset;
    if (isRead) this.hold(AWAITED, this.start);
  }

  /** The offset of the oldest record. */
  get start(): number {
    return this.#start.offset;
  }

  /** The offset after the last record that readers can see. */
  get end(): number {
    return this.#end;
  }

  /** The offset that the next record to be appended gets. */
  get next(): number {
    return this.#next.offset;
  }

  /** Bytes that the topic holds. */
  get bytes(): number {
    return this.#next.bytes - this.#start.bytes;
  }

  /**
   * Appends within a transaction of the store; readers see the records after `reveal`.
   *
   * @returns undoes the change of the offsets in memory; call it when the transaction fails
   */
  append(records: readonly Omit<OutputRecord, 'topic'>[], now: number): () => void {
    const before = [this.#start, this.#next] as const;
    const undo = () => {
      [this.#start, this.#next] = before;
    };
    try {
      this.#next = this.#table.insert(records, this.#next, now);
      this.#deleteOldest();
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
    this.#waitingForRecords.wake();
  }

  /**
   * Up to `limit` records, starting at `from`; none at the end of the log. A deleted offset counts as the oldest one.
   */
  read(from: number, limit: number): LogRecord[] {
    this.#store.requireOpen();
    const first = Math.max(from, this.start);
    return first >= this.#end ? [] : this.#table.read(first, this.#end, limit);
  }

  /** Resolves once readers can see a record at `offset` or later, or the signal is aborted. */
  async waitBeyond(offset: number, signal: AbortSignal): Promise<void> {
    if (this.#end <= offset) await this.#waitingForRecords.wait(signal);
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
    for (let from = this.start; from < end; ) {
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
    if (offset === this.next - 1 || offset === this.start) this.#table.empty(offset);
    else this.#table.delete(offset);
  }

  /** Says how far a reader of this process is. @param wanted records that it may read again, if they still exist */
  hold(reader: object, unread: number, wanted = unread): void {
    this.#holds.delete(AWAITED);
    this.#holds.set(reader, { unread, wanted });
    if (!this.#waitingForRoom.isEmpty && !this.isFull) this.#waitingForRoom.wake();
  }

  /** The reader reads no more, and will begin elsewhere. */
  release(reader: object): void {
    this.#holds.delete(reader);
  }

  /** Whether records that a reader has not taken fill the topic; deletes what all have taken. */
  get isFull(): boolean {
    const { maxBytes } = this.#size;
    if (this.bytes <= maxBytes) return false;
    const before = this.#start;
    try {
      this.#store.transaction(() => {
        this.#deleteOldest();
      });
    } catch (error) {
      this.#start = before;
      throw error;
    }
    return this.bytes > maxBytes && this.#heldFrom('unread') < this.next;
  }

  /** Resolves once the topic is not full, or the signal is aborted. */
  async waitForRoom(signal: AbortSignal): Promise<void> {
    if (!signal.aborted && this.isFull) await this.#waitingForRoom.wait(signal);
  }

  #heldFrom(what: keyof Hold): number {
    let from = Infinity;
    for (const hold of this.#holds.values()) from = Math.min(from, hold[what]);
    return from;
  }

  #deleteOldest(): void {
    const { retentionBytes, maxBytes } = this.#size;
    this.#deleteBeyond(retentionBytes, this.#heldFrom('wanted'));
    this.#deleteBeyond(maxBytes, this.#heldFrom('unread'));
  }

  /** Deletes the oldest records beyond a size, but none from an offset on. */
  #deleteBeyond(limit: number, heldFrom: number): void {
    if (this.bytes <= limit || heldFrom <= this.start) return;
    const slack = Math.min(RETENTION_SLACK, limit / 8);
    // The last record stays, because it determines the next offset.
    const until = Math.min(heldFrom, this.next - 1);
    this.#start = this.#table.placeOf(until, Math.floor(this.#next.bytes - limit + slack)) ?? this.#start;
    this.#table.deleteBefore(this.start);
  }
}
