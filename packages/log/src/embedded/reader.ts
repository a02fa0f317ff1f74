import { messageOf } from '@loopwatch/contract';
import { backoff, delay, type LogFunction } from '@loopwatch/platform';
import type { LogRecord } from '../port/ports.ts';
import type { TopicReadOptions } from '../port/topic-reader.ts';
import type { TopicLog } from './topic.ts';

const maxRecords = 1_000;

/** Reads a topic on and on, until the signal is aborted. */
export class TopicReader {
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

  /** The next records, however long it takes until there are some and they can be read; none once aborted. */
  async next(position: number): Promise<LogRecord[]> {
    for (;;) {
      const records = await this.#read(position);
      if (records.length > 0 || this.#signal.aborted) return records;
      await this.topic.waitBeyond(position, this.#signal);
    }
  }

  /** Runs the work until it succeeds or the signal is aborted, pausing longer after each failure. */
  async insist(trouble: string, work: () => Promise<void>): Promise<void> {
    for (let failures = 0; !this.#signal.aborted; failures += 1) {
      try {
        await work();
        return;
      } catch (error) {
        const pauseMs = backoff(failures, 100, 5_000);
        const failure = { failuresInARow: failures + 1, pauseMs, error: messageOf(error) };
        this.#log?.('error', trouble, { topic: this.topic.name, partition: 0, ...failure });
        await delay(pauseMs, this.#signal);
      }
    }
  }

  async #read(position: number): Promise<LogRecord[]> {
    let records: LogRecord[] = [];
    let down = false;
    await this.insist('reading the log failed; retrying', () => {
      try {
        records = this.topic.read(position, maxRecords);
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
