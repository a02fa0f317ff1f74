import { TopicReader as Reader } from './embedded-reader.ts';
import type { TopicLog } from './embedded-topic.ts';
import type { LogFunction } from './log-function.ts';
import type { LogRecord, TopicReader } from './ports.ts';

/** Reads a topic of the embedded log for itself, without a group. */
export class EmbeddedTopicReader implements TopicReader {
  readonly #topic: TopicLog;
  readonly #log: LogFunction | undefined;
  readonly #stopping = new AbortController();
  #following: Promise<void> = Promise.resolve();

  constructor(topic: TopicLog, log: LogFunction | undefined) {
    this.#topic = topic;
    this.#log = log;
  }

  async run(handler: (records: readonly LogRecord[]) => void): Promise<void> {
    const reader = new Reader(this.#topic, this.#stopping.signal, this.#log, {});
    const { end } = this.#topic;
    let next = this.#topic.start;
    while (next < end) next = await handOver(reader, next, handler);
    this.#following = this.#follow(reader, next, handler);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#following;
  }

  async #follow(
    reader: Reader,
    from: number,
    handler: (records: readonly LogRecord[]) => void,
  ): Promise<void> {
    for (let next = from; !this.#stopping.signal.aborted; ) next = await handOver(reader, next, handler);
  }
}

/** @returns the offset behind what was handed over */
async function handOver(
  reader: Reader,
  from: number,
  handler: (records: readonly LogRecord[]) => void,
): Promise<number> {
  const records = await reader.next(from);
  if (records.length > 0) handler(records);
  return (records.at(-1)?.offset ?? Number.POSITIVE_INFINITY) + 1;
}
