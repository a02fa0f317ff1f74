import { setTimeout as delay } from 'node:timers/promises';
import { topicEnds } from '@loopwatch/testkit';
import kafkajs, { type Admin } from 'kafkajs';

/** Offsets of a topic, by partition. */
export type Positions = ReadonlyMap<number, number>;

/** A partition's committed offset advanced. */
export interface Advance {
  readonly partition: number;
  /** Epoch ms. */
  readonly at: number;
}

const POLL_MS = 100;

/** Watches a group's committed offsets from outside. */
export class CommitWatch implements AsyncDisposable {
  readonly advances: Advance[] = [];
  readonly #kafka: kafkajs.Kafka;
  readonly #admin: Admin;
  readonly #groupId: string;
  readonly #topic: string;
  readonly #committed = new Map<number, number>();
  readonly #stopping = new AbortController();
  #watching: Promise<void> = Promise.resolve();

  /** @param brokers addresses that bypass the injected network faults */
  constructor(brokers: readonly string[], groupId: string, topic: string) {
    const retry = { initialRetryTime: 100, maxRetryTime: 500, retries: 5 };
    const options = {
      brokers: [...brokers],
      logLevel: kafkajs.logLevel.NOTHING,
      requestTimeout: 3_000,
      retry,
    };
    this.#kafka = new kafkajs.Kafka(options);
    this.#admin = this.#kafka.admin();
    this.#groupId = groupId;
    this.#topic = topic;
  }

  async start(): Promise<void> {
    await this.#admin.connect();
    this.#watching = this.#watch();
  }

  get committed(): Positions {
    return this.#committed;
  }

  /** Whether every partition with commits has advanced since then, epoch ms. */
  hasAdvancedSince(since: number): boolean {
    return [...this.#committed.keys()].every(
      (partition) => (this.advances.findLast((advance) => advance.partition === partition)?.at ?? 0) > since,
    );
  }

  /** The current end offset of each partition. */
  async ends(): Promise<Positions> {
    const offsets = await topicEnds(this.#kafka, this.#topic);
    return new Map(offsets.map(({ partition, high }) => [partition, Number(high)]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#watching;
    await this.#admin.disconnect().catch(() => undefined);
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      // A broker that is down appears as a pause.
      await this.#poll().catch(() => undefined);
      await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #poll(): Promise<void> {
    const topics = await this.#admin.fetchOffsets({ groupId: this.#groupId, topics: [this.#topic] });
    const at = Date.now();
    for (const { partition, offset } of topics[0]?.partitions ?? []) {
      const position = Number(offset);
      if (position <= (this.#committed.get(partition) ?? -1)) continue;
      this.#committed.set(partition, position);
      this.advances.push({ partition, at });
    }
  }
}
