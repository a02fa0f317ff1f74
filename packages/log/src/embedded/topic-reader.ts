import type { LogFunction } from '@loopwatch/platform';
import {
  beginning,
  type TopicHandler,
  type TopicReader,
  type TopicReadOptions,
} from '../port/topic-reader.ts';
import { TopicReader as Reader } from './reader.ts';
import type { TopicLog } from './topic.ts';

/** Reads a topic of the embedded log for itself, without a group. */
export class EmbeddedTopicReader implements TopicReader {
  readonly #topic: TopicLog;
  readonly #log: LogFunction | undefined;
  readonly #stopping = new AbortController();
  #following: Promise<unknown> = Promise.resolve();

  constructor(topic: TopicLog, log: LogFunction | undefined) {
    this.#topic = topic;
    this.#log = log;
  }

  async run(handler: TopicHandler, options: TopicReadOptions = {}): Promise<void> {
    const { name, start, end } = this.#topic;
    const place = { topic: name, partition: 0 };
    const first = await beginning(place, { start, end }, options.from);
    const { onConnection } = options;
    const observer = onConnection === undefined ? {} : { onConnection };
    const reader = new Reader(this.#topic, this.#stopping.signal, this.#log, observer);
    onConnection?.('up');
    const caughtUp = new Promise<void>((resolve) => {
      this.#following = this.#follow(reader, first, handler, (next) => {
        if (next >= end) resolve();
      }).then(resolve);
    });
    if (options.resolveWhen !== 'started') await caughtUp;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#following;
  }

  async #follow(
    reader: Reader,
    from: number,
    handler: TopicHandler,
    reached: (next: number) => void,
  ): Promise<void> {
    const place = { topic: this.#topic.name, partition: 0 };
    for (let position = from; ; ) {
      reached(position);
      const records = await reader.next(position);
      const [first] = records;
      if (first === undefined) return;
      if (first.offset > position) {
        const gone = { ...place, offset: position, goesOnAt: first.offset };
        this.#log?.('error', 'offset out of range: the next records were deleted from the log', gone);
      }
      position = (records.at(-1)?.offset ?? first.offset) + 1;
      const batch = { ...place, records, next: position, lag: Math.max(0, this.#topic.end - position) };
      await reader.insist('handling records failed; retrying', async () => {
        await handler(batch);
      });
    }
  }
}
