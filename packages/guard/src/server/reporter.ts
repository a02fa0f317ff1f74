import { backoff, messageOf } from '@loopwatch/contract';
import type { GuardStats } from '../guard.ts';
import { startTimer } from './background-timer.ts';

const MAX_QUEUED = 10_000;
const MAX_BATCH = 500;
const MAX_BATCH_UNITS = 4_000_000;
const COLLECT_MS = 100;
const MAX_PAUSE_MS = 30_000;
const REQUEST_MS = 10_000;
/** How much of an answer a warning quotes: the server says what to do about it. */
const MAX_ANSWER_UNITS = 500;
/** The agent waits only when it closes the guard: for each request, and for all of them. */
const CLOSING_REQUEST_MS = 1_000;
const CLOSE_MS = 5_000;

/** Posts events in batches, in order. Events have ids, so a batch that is sent twice counts once. */
export class Reporter {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #stats: GuardStats;
  /** Events as JSON lines. */
  #queue: string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sending: Promise<void> | undefined;
  #failures = 0;
  #hasWarned = false;
  readonly #closing = new AbortController();

  constructor(url: string, headers: Readonly<Record<string, string>>, stats: GuardStats) {
    this.#url = url;
    this.#headers = headers;
    this.#stats = stats;
  }

  add(line: string): void {
    if (this.#queue.length >= MAX_QUEUED) {
      this.#queue.shift();
      this.#stats.dropped += 1;
    }
    this.#queue.push(line);
    if (this.#sending === undefined) this.#sendIn(COLLECT_MS);
  }

  /** Sends the remaining events until a request fails, hangs, or the time is up. */
  async close(): Promise<void> {
    const deadline = Date.now() + CLOSE_MS;
    const limit = (): ReturnType<typeof setTimeout> =>
      setTimeout(() => this.#closing.abort(), CLOSING_REQUEST_MS);
    let timer = limit();
    await this.#sending;
    while (this.#queue.length > 0 && this.#failures === 0 && Date.now() < deadline) {
      clearTimeout(timer);
      timer = limit();
      await this.#send();
    }
    clearTimeout(timer);
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#stats.dropped += this.#queue.length;
    this.#queue = [];
  }

  #sendIn(ms: number): void {
    if (this.#timer !== undefined) return;
    this.#timer = startTimer(() => {
      this.#timer = undefined;
      void this.#send();
    }, ms);
  }

  #send(): Promise<void> {
    this.#sending ??= this.#post(this.#nextBatch()).finally(() => {
      this.#sending = undefined;
      if (this.#queue.length > 0) this.#sendIn(this.#pause());
    });
    return this.#sending;
  }

  #pause(): number {
    return this.#failures === 0 ? 0 : backoff(this.#failures, 250, MAX_PAUSE_MS);
  }

  #nextBatch(): string[] {
    let units = 0;
    const end = this.#queue.findIndex((line, index) => {
      units += line.length;
      return index > 0 && (index >= MAX_BATCH || units > MAX_BATCH_UNITS);
    });
    return this.#queue.splice(0, end === -1 ? this.#queue.length : end);
  }

  /** Once until the server accepts events: an agent's output is not the place for more, and a guard never throws. */
  #warn(fault: string): void {
    if (!this.#hasWarned) console.warn(`Loopwatch: events cannot be sent to ${this.#url}: ${fault}`);
    this.#hasWarned = true;
  }

  async #post(batch: readonly string[]): Promise<void> {
    try {
      const response = await fetch(this.#url, {
        method: 'POST',
        headers: { ...this.#headers, 'content-type': 'application/x-ndjson' },
        body: batch.join('\n'),
        signal: AbortSignal.any([AbortSignal.timeout(REQUEST_MS), this.#closing.signal]),
      });
      const body = await response.text();
      if (!response.ok) this.#warn(`${String(response.status)} ${body.slice(0, MAX_ANSWER_UNITS)}`);
      if (response.status === 429 || response.status >= 500) throw new Error(body);
      this.#failures = 0;
      const accepted = response.ok ? batch.length - countRejected(body) : 0;
      this.#stats.reported += accepted;
      this.#stats.dropped += batch.length - accepted;
      this.#hasWarned &&= !response.ok;
    } catch (error) {
      this.#warn(messageOf((error as Error).cause ?? error));
      this.#failures += 1;
      const pending = [...batch, ...this.#queue];
      this.#stats.dropped += Math.max(0, pending.length - MAX_QUEUED);
      this.#queue = pending.slice(-MAX_QUEUED);
    }
  }
}

function countRejected(body: string): number {
  const { rejected = [], rejectedTotal } = JSON.parse(body) as {
    rejected?: readonly unknown[];
    rejectedTotal?: number;
  };
  return rejectedTotal ?? rejected.length;
}
