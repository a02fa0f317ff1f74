import { backoff, messageOf } from '@loopwatch/contract';
import { delay, type LogFunction } from '@loopwatch/platform';
import type { LogRecord } from '../port/records.ts';
import {
  startOffset,
  type TopicHandler,
  type TopicReader,
  type TopicReadOptions,
} from '../port/topic-reader.ts';
import type { TopicLog } from './topic.ts';

const MAX_RECORDS = 1_000;

/** Reads a topic continuously until the signal is aborted. */
export class TopicCursor {
  readonly topic: TopicLog;
  readonly #signal: AbortSignal;
  readonly #log: LogFunction | undefined;
  readonly #observer: Pick<TopicReadOptions, 'onConnection'>;

  constructor(
    topic: TopicLog,
    signal: AbortSignal,
    log: LogFunction | undefined,
    observer: Pick<TopicReadOptions, 'onConnection'>,
  ) {
    this.topic = topic;
    this.#signal = signal;
    this.#log = log;
    this.#observer = observer;
  }

  /** Waits for the next records, retrying failed reads; none once aborted. */
  async next(position: number): Promise<LogRecord[]> {
    for (;;) {
      const records = await this.#read(position);
      if (records.length > 0 || this.#signal.aborted) return records;
      await this.topic.waitBeyond(position, this.#signal);
    }
  }

  /** Runs the work until it succeeds or the signal is aborted, pausing longer after each failure. */
  async retry(message: string, work: () => Promise<void>): Promise<void> {
    for (let failures = 0; !this.#signal.aborted; failures += 1) {
      try {
        await work();
        return;
      } catch (error) {
        const pauseMs = backoff(failures, 100, 5_000);
        const failure = { failuresInARow: failures + 1, pauseMs, error: messageOf(error) };
        this.#log?.('error', message, { topic: this.topic.name, partition: 0, ...failure });
        await delay(pauseMs, this.#signal);
      }
    }
  }

  async #read(position: number): Promise<LogRecord[]> {
    let records: LogRecord[] = [];
    let down = false;
    await this.retry('reading the log failed; retrying', () => {
      try {
        records = this.topic.read(position, MAX_RECORDS);
        if (down) this.#observer.onConnection?.('up');
        return Promise.resolve();
      } catch (error) {
        if (!down) this.#observer.onConnection?.('down', messageOf(error));
        down = true;
        throw error;
      }
    });
    return records;
  }
}

/** Reads a topic of the embedded log without a group. */
export class EmbeddedTopicReader implements TopicReader {
  readonly #topic: TopicLog;
  readonly #log: LogFunction | undefined;
  readonly #stopping = new AbortController();
  #following: Promise<unknown> = Promise.resolve();
  #keepsPlace = false;

  constructor(topic: TopicLog, log: LogFunction | undefined) {
    this.#topic = topic;
    this.#log = log;
  }

  async run(handler: TopicHandler, options: TopicReadOptions = {}): Promise<void> {
    const { name, start, end } = this.#topic;
    const topicPartition = { topic: name, partition: 0 };
    const first = await startOffset(topicPartition, { start, end }, options.from);
    const { onConnection } = options;
    const observer = onConnection === undefined ? {} : { onConnection };
    const reader = new TopicCursor(this.#topic, this.#stopping.signal, this.#log, observer);
    this.#topic.hold(this, first);
    this.#keepsPlace = options.from !== undefined;
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
    // A reader that keeps its place goes on from there later.
    if (!this.#keepsPlace) this.#topic.release(this);
  }

  async #follow(
    reader: TopicCursor,
    from: number,
    handler: TopicHandler,
    reached: (next: number) => void,
  ): Promise<void> {
    const topicPartition = { topic: this.#topic.name, partition: 0 };
    for (let position = from; ; ) {
      reached(position);
      const records = await reader.next(position);
      const [first] = records;
      if (first === undefined) return;
      if (first.offset > position) {
        const gone = { ...topicPartition, offset: position, resumedAt: first.offset };
        this.#log?.('error', 'Offset out of range: the next records were deleted from the log', gone);
      }
      position = (records.at(-1)?.offset ?? first.offset) + 1;
      const batch = {
        ...topicPartition,
        records,
        next: position,
        lag: Math.max(0, this.#topic.end - position),
      };
      await reader.retry('handling records failed; retrying', async () => {
        await handler(batch);
      });
      this.#topic.hold(this, position);
    }
  }
}
