import { messageOf } from '@loopwatch/contract';
import { LogError, type OutputRecord, type VerdictSink } from '@loopwatch/log';
import { atMost, backoff, delay, type LogFunction } from '@loopwatch/platform';

/** Records of one write, at most. */
const BATCH = 1_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/** A write that takes longer counts as one that fails, until it is done. */
const SLOW_MS = 5_000;

export interface OutboxOptions {
  readonly sink: VerdictSink;
  /** Records that wait, at most; beyond, the oldest are dropped. */
  readonly limit: number;
  readonly log: LogFunction;
  readonly onPublished: (records: number) => void;
  readonly onDropped: (records: number) => void;
}

/**
 * What is on its way to the event log. Requests do not wait for it: while the log cannot be reached records are kept within a
 * bound, and what goes beyond that is counted and said.
 */
export class Outbox {
  private readonly options: OutboxOptions;
  private waiting: OutputRecord[] = [];
  /** Of the batch that is being written. */
  private underWay = 0;
  private opened = false;
  private readonly closing = new AbortController();
  private pumping: Promise<void> | undefined;
  private failing = false;
  private dropped = 0;

  constructor(options: OutboxOptions) {
    this.options = options;
  }

  /** Records that are not written yet. */
  get size(): number {
    return this.waiting.length + this.underWay;
  }

  /** Whether records go out, for a readiness check. */
  get health(): { readonly ok: boolean; readonly detail: string } {
    const waiting = `${String(this.size)} records wait`;
    if (this.failing) return { ok: false, detail: `the event log cannot be reached; ${waiting}` };
    if (this.opened) return { ok: true, detail: 'connected' };
    // It is opened when there is something to write.
    return this.size === 0
      ? { ok: true, detail: 'nothing has been written yet' }
      : { ok: false, detail: `the event log has not been reached yet; ${waiting}` };
  }

  add(records: readonly OutputRecord[]): void {
    if (this.isClosed() || records.length === 0) return;
    this.waiting.push(...records);
    const excess = this.waiting.length - this.options.limit;
    if (excess > 0) this.drop(excess);
    this.pumping ??= this.pump();
  }

  /** Writes what waits, as long as that is possible, then closes. @param withinMs how long it may take */
  async close(withinMs: number): Promise<void> {
    // While it fails there is no use in waiting for the next attempt.
    if (this.failing) this.closing.abort();
    if (this.pumping !== undefined) await atMost(this.pumping, withinMs);
    this.closing.abort();
    const lost = this.waiting.splice(0).length + this.underWay;
    if (lost > 0) this.noteDropped(lost);
    await this.options.sink.close();
  }

  private async pump(): Promise<void> {
    // What comes in the same turn of the event loop goes in one write.
    await new Promise((resolve) => setImmediate(resolve));
    let failures = 0;
    while (this.waiting.length > 0 && !this.isClosed()) {
      const batch = this.waiting.splice(0, BATCH);
      this.underWay = batch.length;
      try {
        await this.write(batch);
        this.underWay = 0;
        this.options.onPublished(batch.length);
        this.recovered();
        failures = 0;
      } catch (error) {
        // What is lost then has been counted.
        if (this.isClosed()) break;
        const again = await this.keep(batch, error);
        this.underWay = 0;
        if (!again) continue;
        await delay(backoff(failures, FIRST_PAUSE_MS, LONGEST_PAUSE_MS), this.closing.signal);
        failures += 1;
      }
    }
    this.pumping = undefined;
  }

  /** Asked again after each wait: it may have been closed meanwhile. */
  private isClosed(): boolean {
    return this.closing.signal.aborted;
  }

  /** @returns whether the batch is to be tried again */
  private async keep(batch: readonly OutputRecord[], error: unknown): Promise<boolean> {
    if (error instanceof LogError && error.code === 'record_too_large' && batch.length > 1) {
      // One of them is; the others are not to suffer from it.
      for (const record of batch) await this.single(record);
      return false;
    }
    if (error instanceof LogError && error.code === 'record_too_large') {
      this.lose(1, error.message);
      return false;
    }
    this.waiting = [...batch, ...this.waiting];
    this.underWay = 0;
    const excess = this.waiting.length - this.options.limit;
    if (excess > 0) this.drop(excess);
    this.noteFailing(messageOf(error));
    return true;
  }

  private async write(batch: readonly OutputRecord[]): Promise<void> {
    const slow = setTimeout(() => {
      this.noteFailing(`no answer for ${String(SLOW_MS / 1000)} s`);
    }, SLOW_MS);
    try {
      if (!this.opened) await this.options.sink.open();
      this.opened = true;
      await this.options.sink.publish(batch);
    } finally {
      clearTimeout(slow);
    }
  }

  private noteFailing(error: string): void {
    if (this.failing) return;
    this.failing = true;
    this.options.log(
      'warn',
      'Events and verdicts cannot be written to the event log; they are kept meanwhile',
      { error, limit: this.options.limit },
    );
  }

  private async single(record: OutputRecord): Promise<void> {
    try {
      await this.options.sink.publish([record]);
      this.options.onPublished(1);
    } catch (error) {
      this.lose(1, messageOf(error));
    }
  }

  private recovered(): void {
    if (!this.failing) return;
    this.failing = false;
    this.options.log('info', 'The event log takes events and verdicts again', { dropped: this.dropped });
    this.dropped = 0;
  }

  private drop(records: number): void {
    this.waiting.splice(0, records);
    this.noteDropped(records);
  }

  private noteDropped(records: number): void {
    const first = this.dropped === 0;
    this.dropped += records;
    this.options.onDropped(records);
    if (first)
      this.options.log(
        'error',
        'Events and verdicts are lost: more wait for the event log than may be kept, or the gateway ends',
        { limit: this.options.limit },
      );
  }

  private lose(records: number, error: string): void {
    this.options.onDropped(records);
    this.options.log('error', 'A record was not taken by the event log, and is lost', { error });
  }
}
