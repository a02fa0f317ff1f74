import type { GroupOffsets } from './embedded-groups.ts';
import type { TopicLog } from './embedded-topic.ts';
import { LogError, messageOf } from './errors.ts';
import type { LogFunction } from './log-function.ts';
import type { BatchHandler, EventSource, LogRecord, RecordBatch, SourceObserver } from './ports.ts';
import { backoff, delay } from './timing.ts';

const mostRecords = 1_000;

/** What a source needs of the log it reads. */
export interface SourceContext {
  readonly group: string;
  readonly log: LogFunction | undefined;
  /** Makes this source the group's only reader of its topics; rejects when it cannot be. */
  claim(): Promise<{ readonly topics: readonly TopicLog[]; readonly offsets: GroupOffsets }>;
  /** Gives the topics back. */
  release(): void;
}

/**
 * Reads topics of the embedded log for a group, from its committed offset or else from the oldest record. It is woken
 * by what is written; topics are read side by side, the batches of one topic one after the other.
 */
export class EmbeddedSource implements EventSource {
  readonly #context: SourceContext;
  readonly #stopping = new AbortController();
  #started: Promise<void> | undefined;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(context: SourceContext) {
    this.#context = context;
  }

  async run(handler: BatchHandler, observer: SourceObserver = {}): Promise<void> {
    if (this.#started !== undefined || this.#stopping.signal.aborted) {
      throw new LogError(
        'log_closed',
        `The source of group ${this.#context.group} ran already; create a new one to read again.`,
      );
    }
    this.#started = this.#start(handler, observer);
    await this.#started;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#started?.catch(() => undefined);
    await this.#reading;
    this.#context.release();
  }

  async #start(handler: BatchHandler, observer: SourceObserver): Promise<void> {
    const { topics, offsets } = await this.#context.claim();
    observer.onConnection?.('up');
    observer.onAssignment?.(topics.map(({ name }) => ({ topic: name, partition: 0 })));
    this.#reading = Promise.all(topics.map((topic) => this.#follow(topic, offsets, handler, observer)));
  }

  async #follow(
    topic: TopicLog,
    offsets: GroupOffsets,
    handler: BatchHandler,
    observer: SourceObserver,
  ): Promise<void> {
    const { signal } = this.#stopping;
    // Behind the end only if records were lost that the group had read: what comes next is new to it.
    let position = Math.min(offsets.committed(topic.name) ?? 0, topic.end);
    while (!signal.aborted) {
      const records = await this.#read(topic, position, observer);
      const last = records.at(-1);
      if (last === undefined) {
        await topic.waitBeyond(position, signal);
        continue;
      }
      position = last.offset + 1;
      const batch = batchOf(topic, records, position, offsets);
      await this.#again('the batch could not be handled and comes again', batch, () => handler(batch));
    }
  }

  /** The next records, however long it takes until the files can be read. */
  async #read(topic: TopicLog, position: number, observer: SourceObserver): Promise<LogRecord[]> {
    let records: LogRecord[] = [];
    let down = false;
    const place = { topic: topic.name, partition: 0 };
    await this.#again('the log could not be read and is tried again', place, async () => {
      try {
        records = await topic.read(position, mostRecords);
        if (down) observer.onConnection?.('up');
      } catch (error) {
        if (!down) observer.onConnection?.('down', messageOf(error));
        down = true;
        throw error;
      }
    });
    return records;
  }

  /** Runs the task until it succeeds or the source is stopped, pausing longer after each failure. */
  async #again(
    trouble: string,
    { topic, partition }: { readonly topic: string; readonly partition: number },
    task: () => Promise<void>,
  ): Promise<void> {
    const { signal } = this.#stopping;
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        await task();
        return;
      } catch (error) {
        const pauseMs = backoff(failures, 100, 5_000);
        const failuresInARow = failures + 1;
        this.#context.log?.('error', trouble, {
          topic,
          partition,
          failuresInARow,
          pauseMs,
          error: messageOf(error),
        });
        await delay(pauseMs, signal);
      }
    }
  }
}

function batchOf(
  topic: TopicLog,
  records: readonly LogRecord[],
  next: number,
  offsets: GroupOffsets,
): RecordBatch {
  const commit = () => offsets.commit(topic.name, next);
  return { topic: topic.name, partition: 0, records, lag: topic.end - next, commit };
}
