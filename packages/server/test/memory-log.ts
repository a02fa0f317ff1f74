import type { Verdict } from '@loopwatch/contract';
import {
  BytesRecord,
  type LogRecord,
  type OutputRecord,
  type RecordReader,
  type RecordSink,
  type TopicHandler,
  type TopicReader,
  type TopicReadOptions,
} from '@loopwatch/log';
import type { ServerLog } from '../src/index.ts';

/** A log of one partition per topic that lives in an array; enough to stand in for the ports. */
export class MemoryLog implements ServerLog {
  readonly kind = 'embedded';
  readonly topics = new Map<string, LogRecord[]>();
  readonly #waiting = new Set<() => void>();
  /** Makes `publish` fail as long as it is set. */
  failure: Error | undefined;
  /** Of all topics; none by default, as in the embedded log. */
  topicId: string | undefined;
  /** Why `publish` refuses a record of this value; all of them are taken by default. */
  refusal: (value: string) => Error | undefined = () => undefined;
  /** What `publish` waits for. */
  pause: () => Promise<void> = () => Promise.resolve();
  /** Records that a reader hands over at once. */
  batch = 1_000;

  /** How far each reader that runs is. */
  readonly #positions = new Map<object, { readonly topic: string; at: number }>();

  /** Whether every reader has handled all there is. */
  get delivered(): boolean {
    return [...this.#positions.values()].every(
      ({ topic, at }) => at >= (this.topics.get(topic)?.length ?? 0),
    );
  }

  append(
    topic: string,
    value: string | null,
    { key = null, timestamp = 0, headers = {} }: AppendOptions = {},
  ): void {
    const records = this.topics.get(topic) ?? [];
    this.topics.set(topic, records);
    records.push(
      new BytesRecord({
        offset: records.length,
        timestamp,
        key: key === null ? null : Buffer.from(key),
        value: value === null ? null : Buffer.from(value),
        headers,
      }),
    );
    for (const wake of this.#waiting) wake();
  }

  appendVerdict(verdict: Verdict, topic = 'loopwatch.verdicts'): void {
    const timestamp = verdict.detectedAt ?? verdict.time;
    this.append(topic, JSON.stringify(verdict), { key: verdict.sessionId, timestamp });
  }

  reader(topic: string): TopicReader {
    const records = () => this.topics.get(topic) ?? [];
    let running: Promise<void> | undefined;
    let stopped = false;
    let wake: () => void = () => undefined;
    const notify = () => wake();
    const follow = async (handler: TopicHandler, from: number): Promise<void> => {
      for (let position = from; !stopped; ) {
        const batch = records().slice(position, position + this.batch);
        if (batch.length === 0) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          continue;
        }
        const next = position + batch.length;
        try {
          await handler({ topic, partition: 0, records: batch, next, lag: records().length - next });
          position = next;
          this.#positions.set(notify, { topic, at: position });
        } catch {
          // It comes again.
          await new Promise((resolve) => setImmediate(resolve));
        }
      }
    };
    return {
      run: async (handler: TopicHandler, { from, onConnection }: TopicReadOptions = {}) => {
        const bounds = { start: 0, end: records().length, topicId: this.topicId };
        const first = (await from?.({ topic, partition: 0 }, bounds)) ?? 0;
        onConnection?.('up');
        this.#waiting.add(notify);
        this.#positions.set(notify, { topic, at: first });
        running = follow(handler, first);
      },
      stop: async () => {
        stopped = true;
        this.#waiting.delete(notify);
        this.#positions.delete(notify);
        wake();
        await running;
      },
    };
  }

  records(): RecordReader {
    return {
      bounds: ({ topic }) => Promise.resolve({ start: 0, end: this.topics.get(topic)?.length ?? 0 }),
      read: ({ topic }, from, limit) => {
        const records = (this.topics.get(topic) ?? []).slice(from, from + limit);
        return Promise.resolve({ records, next: from + records.length });
      },
      close: () => Promise.resolve(),
    };
  }

  sink(): RecordSink {
    return {
      open: () => Promise.resolve(),
      close: () => Promise.resolve(),
      publish: async (records: readonly OutputRecord[]) => {
        await this.pause();
        if (this.failure !== undefined) throw this.failure;
        for (const { value } of records) {
          const refused = this.refusal(String(value));
          if (refused !== undefined) throw refused;
        }
        for (const { topic, key, value, headers = {} } of records) {
          this.append(topic, value === null ? null : String(value), { key: String(key), headers });
        }
      },
    };
  }

  /** The values of a topic, parsed. */
  values(topic: string): unknown[] {
    return (this.topics.get(topic) ?? []).map((record) => JSON.parse(String(record.value)) as unknown);
  }
}

interface AppendOptions {
  readonly key?: string | null;
  readonly timestamp?: number;
  readonly headers?: Readonly<Record<string, Uint8Array>>;
}
