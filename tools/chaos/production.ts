import { setTimeout as delay } from 'node:timers/promises';
import { createKafkaSink, type RecordSink } from '@loopwatch/log';
import type { Traffic } from './traffic.ts';

const TICK_MS = 50;
/** Maximum number of records in flight: records that cannot be written delay the next ones. */
const MOST_UNWRITTEN = 20_000;
/** Records of a burst that are published together. */
const BURST_RECORDS = 500;

/** Writes events at a steady rate, with an idempotent producer that waits for all replicas. */
export class Production implements AsyncDisposable {
  readonly #sink: RecordSink;
  readonly #topic: string;
  readonly #traffic: Traffic;
  readonly #rate: number;
  readonly #stopping = new AbortController();
  readonly #failures: string[] = [];
  #producing: Promise<void> = Promise.resolve();
  #unwritten = 0;
  #written = 0;

  /** @param rate records a second */
  constructor(brokers: readonly string[], topic: string, traffic: Traffic, rate: number) {
    this.#sink = createKafkaSink({ brokers, clientId: 'chaos-producer' });
    this.#topic = topic;
    this.#traffic = traffic;
    this.#rate = rate;
  }

  async start(): Promise<void> {
    await this.#sink.open();
    this.#producing = this.#produce();
  }

  /** Records acknowledged by all replicas. */
  get written(): number {
    return this.#written;
  }

  /** Records in flight. */
  get unwritten(): number {
    return this.#unwritten;
  }

  /** Writes this many records at once. */
  burst(count: number): void {
    for (let left = count; left > 0; left -= BURST_RECORDS) this.#publish(Math.min(left, BURST_RECORDS));
  }

  /** @throws Error when records could not be written at all */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#producing;
    await this.#sink.close();
    if (this.#failures.length > 0) throw new Error(`records could not be written: ${this.#failures[0]}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#producing;
    await this.#sink.close();
  }

  async #produce(): Promise<void> {
    const { signal } = this.#stopping;
    const began = performance.now();
    for (let produced = 0; !signal.aborted; ) {
      const due = Math.floor(((performance.now() - began) * this.#rate) / 1_000);
      // Records delayed by a pause are not sent all at once.
      const count = Math.min(due - produced, Math.ceil((this.#rate * TICK_MS * 4) / 1_000));
      if (this.#unwritten < MOST_UNWRITTEN) this.#publish(count);
      produced = due;
      await delay(TICK_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  #publish(count: number): void {
    const records = Array.from({ length: count }, () => ({ ...this.#traffic.next(), topic: this.#topic }));
    this.#unwritten += count;
    this.#sink.publish(records).then(
      () => {
        this.#written += count;
        this.#unwritten -= count;
      },
      (error: unknown) => this.#failures.push(String(error)),
    );
  }
}
