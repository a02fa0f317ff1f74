import { backoff, messageOf } from '@loopwatch/contract';
import { LogError, type OutputRecord, type RecordSink } from '@loopwatch/log';
import { atMost, delay, type LogFunction } from '@loopwatch/platform';

/** Records in one write. */
const MAX_BATCH = 1_000;
/** Length of the records in one write, UTF-16 units: encoding and compressing them takes the main thread. */
const MAX_BATCH_UNITS = 1024 * 1024;
/** Share of the limit that is dropped at once. */
const DROPPED_SHARE = 0.01;
const MIN_RETRY_MS = 500;
const MAX_RETRY_MS = 10_000;
/** A write that takes longer counts as failing until it completes. */
const SLOW_MS = 5_000;

export interface OutboxOptions {
  readonly sink: RecordSink;
  /** Upper bound of buffered records; beyond it, the oldest are dropped. */
  readonly limit: number;
  readonly log: LogFunction;
  readonly onPublished: (records: number) => void;
  readonly onDropped: (records: number) => void;
}

/**
 * Writes records to the event log in the background, so that requests never wait for it. While the log is unavailable,
 * records are buffered up to a limit; dropped ones are counted and logged.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  #buffer: OutputRecord[] = [];
  /** Records in the batch being written. */
  #inFlight = 0;
  #opened = false;
  readonly #closing = new AbortController();
  #pumping: Promise<void> | undefined;
  #failing = false;
  #dropped = 0;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** Records not written yet. */
  get size(): number {
    return this.#buffer.length + this.#inFlight;
  }

  /** For the readiness check. */
  get health(): { readonly ok: boolean; readonly detail: string } {
    const buffered = `${String(this.size)} record${this.size === 1 ? '' : 's'} buffered`;
    if (this.#failing) return { ok: false, detail: `event log unavailable; ${buffered}` };
    if (this.#opened) return { ok: true, detail: 'connected' };
    // The sink is opened by the first write.
    return this.size === 0
      ? { ok: true, detail: 'nothing to write yet' }
      : { ok: false, detail: `event log not connected yet; ${buffered}` };
  }

  add(records: readonly OutputRecord[]): void {
    if (this.#isClosed() || records.length === 0) return;
    this.#buffer.push(...records);
    this.#dropExcess();
    this.#pumping ??= this.#pump();
  }

  /** Writes buffered records if possible, then closes. */
  async close(timeoutMs: number): Promise<void> {
    // While writes fail, do not wait for the next attempt.
    if (this.#failing) this.#closing.abort();
    if (this.#pumping !== undefined) await atMost(this.#pumping, timeoutMs);
    this.#closing.abort();
    const lost = this.#buffer.splice(0).length + this.#inFlight;
    if (lost > 0) this.#noteDropped(lost);
    await this.#options.sink.close();
  }

  async #pump(): Promise<void> {
    let failures = 0;
    while (this.#buffer.length > 0 && !this.#isClosed()) {
      // Records added in the same turn of the event loop go into one write; requests are served between two.
      await new Promise((resolve) => setImmediate(resolve));
      const batch = this.#buffer.splice(0, this.#batchLength());
      this.#inFlight = batch.length;
      try {
        await this.#write(batch);
        this.#inFlight = 0;
        this.#options.onPublished(batch.length);
        this.#onWritten();
        failures = 0;
      } catch (error) {
        // Lost records were counted by close().
        if (this.#isClosed()) break;
        const shouldRetry = await this.#onWriteFailed(batch, error);
        this.#inFlight = 0;
        if (!shouldRetry) continue;
        await delay(backoff(failures, MIN_RETRY_MS, MAX_RETRY_MS), this.#closing.signal);
        failures += 1;
      }
    }
    this.#pumping = undefined;
  }

  /** A method, since the compiler would narrow the result across awaits. */
  #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** @returns whether to retry the batch */
  async #onWriteFailed(batch: readonly OutputRecord[], error: unknown): Promise<boolean> {
    if (error instanceof LogError && error.code === 'record_too_large' && batch.length > 1) {
      // Only one of them is too large: write them one by one.
      for (const record of batch) await this.#writeOne(record);
      return false;
    }
    if (error instanceof LogError && error.code === 'record_too_large') {
      this.#dropOne(error.message);
      return false;
    }
    this.#buffer = [...batch, ...this.#buffer];
    this.#inFlight = 0;
    this.#dropExcess();
    this.#noteFailing(messageOf(error));
    return true;
  }

  async #write(batch: readonly OutputRecord[]): Promise<void> {
    const slow = setTimeout(() => {
      this.#noteFailing(`no response for ${String(SLOW_MS / 1000)} s`);
    }, SLOW_MS);
    try {
      if (!this.#opened) await this.#options.sink.open();
      this.#opened = true;
      await this.#options.sink.publish(batch);
    } finally {
      clearTimeout(slow);
    }
  }

  #noteFailing(error: string): void {
    if (this.#failing) return;
    this.#failing = true;
    this.#options.log('warn', 'Writing to the event log failed; buffering events and verdicts', {
      error,
      limit: this.#options.limit,
    });
  }

  async #writeOne(record: OutputRecord): Promise<void> {
    try {
      await this.#options.sink.publish([record]);
      this.#options.onPublished(1);
    } catch (error) {
      this.#dropOne(messageOf(error));
    }
  }

  #onWritten(): void {
    if (!this.#failing) return;
    this.#failing = false;
    this.#options.log('info', 'Writing to the event log succeeded again', { dropped: this.#dropped });
    this.#dropped = 0;
  }

  /** How many records go into the next write. */
  #batchLength(): number {
    let units = 0;
    const end = this.#buffer.findIndex(({ value }, i) => {
      units += value?.length ?? 0;
      return i === MAX_BATCH || (i > 0 && units > MAX_BATCH_UNITS);
    });
    return end === -1 ? this.#buffer.length : end;
  }

  #dropExcess(): void {
    const { limit } = this.#options;
    const excess = this.#buffer.length - limit;
    if (excess <= 0) return;
    // A full buffer would otherwise be moved for each record.
    const records = Math.max(excess, Math.floor(limit * DROPPED_SHARE));
    this.#buffer.splice(0, records);
    this.#noteDropped(records);
  }

  #noteDropped(records: number): void {
    const isFirst = this.#dropped === 0;
    this.#dropped += records;
    this.#options.onDropped(records);
    if (isFirst)
      this.#options.log(
        'error',
        'Dropped events and verdicts: the buffer is full, or the gateway is stopping',
        { limit: this.#options.limit },
      );
  }

  #dropOne(error: string): void {
    this.#options.onDropped(1);
    this.#options.log('error', 'Dropped a record that the event log rejected', { error });
  }
}
