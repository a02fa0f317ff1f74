import { setTimeout as delay } from 'node:timers/promises';
import type { Traffic } from '../traffic.ts';

const TICK_MS = 100;
const RETRY_MS = 200;

/** Posts events at a steady rate, each batch until it is acknowledged: with the same ids, because it may have been stored before. */
export class HttpProducer implements AsyncDisposable {
  /** Ids of acknowledged events. */
  readonly acknowledged: string[] = [];
  /** Answers that are neither success nor an outage. */
  readonly troubles: string[] = [];
  readonly #url: string;
  readonly #traffic: Traffic;
  readonly #rate: number;
  readonly #stopping = new AbortController();
  #posted = 0;
  #producing: Promise<void> = Promise.resolve();

  /** @param rate events a second */
  constructor(url: string, traffic: Traffic, rate: number) {
    this.#url = url;
    this.#traffic = traffic;
    this.#rate = rate;
  }

  start(): void {
    this.#producing = this.#produce();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#producing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #produce(): Promise<void> {
    while (!this.#isStopping()) {
      const events = Array.from({ length: Math.ceil((this.#rate * TICK_MS) / 1_000) }, () => this.#next());
      while (!this.#isStopping() && !(await this.#post(events))) await delay(RETRY_MS);
      await delay(TICK_MS);
    }
  }

  #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Readable events only, each with an id of its own. */
  #next(): { readonly id: string } {
    for (;;) {
      const { value } = this.#traffic.next();
      if (value === null || !value.includes('"sessionId"')) continue;
      this.#posted += 1;
      return { ...(JSON.parse(value) as object), id: `u-${this.#posted}` };
    }
  }

  async #post(events: readonly { readonly id: string }[]): Promise<boolean> {
    const body = events.map((event) => JSON.stringify(event)).join('\n');
    const answer = await fetch(`${this.#url}/api/v1/events`, { method: 'POST', body }).catch(() => undefined);
    if (answer === undefined) return false;
    const text = await answer.text().catch(() => '');
    if (!answer.ok) {
      if (answer.status < 500) this.troubles.push(`POST /events: ${answer.status} ${text.slice(0, 200)}`);
      return false;
    }
    this.acknowledged.push(...events.map(({ id }) => id));
    return true;
  }
}
