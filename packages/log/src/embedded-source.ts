import type { GroupOffsets } from './embedded-groups.ts';
import { TopicReader } from './embedded-reader.ts';
import type { TopicLog } from './embedded-topic.ts';
import { LogError } from './errors.ts';
import type { LogFunction } from './log-function.ts';
import type { BatchHandler, EventSource, LogRecord, RecordBatch, SourceObserver } from './ports.ts';

/** What a source reads while it is its group's only reader. */
export interface SourceClaim {
  readonly topics: readonly TopicLog[];
  readonly offsets: GroupOffsets;
  /** Gives the topics back. */
  release(): void;
}

/** What a source needs of the log it reads. */
export interface SourceContext {
  readonly group: string;
  readonly log: LogFunction | undefined;
  /** Makes this source the group's only reader of its topics; rejects when it cannot be. */
  claim(source: EmbeddedSource): Promise<SourceClaim>;
}

/**
 * Reads topics of the embedded log for a group, from its committed offset or else from the oldest record. It is woken
 * by what is written; topics are read side by side, the batches of one topic one after the other.
 */
export class EmbeddedSource implements EventSource {
  readonly #context: SourceContext;
  readonly #stopping = new AbortController();
  #started: Promise<SourceClaim> | undefined;
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
    this.#started = this.#context.claim(this);
    const { topics, offsets } = await this.#started;
    observer.onConnection?.('up');
    observer.onAssignment?.(topics.map(({ name }) => ({ topic: name, partition: 0 })));
    this.#reading = Promise.all(topics.map((topic) => this.#follow(topic, offsets, handler, observer)));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    const claim = await this.#started?.catch(() => undefined);
    await this.#reading;
    claim?.release();
  }

  async #follow(
    topic: TopicLog,
    offsets: GroupOffsets,
    handler: BatchHandler,
    observer: SourceObserver,
  ): Promise<void> {
    const reader = new TopicReader(topic, this.#stopping.signal, this.#context.log, observer);
    // Behind the end only if records were lost that the group had read: what comes next is new to it.
    let position = Math.min(offsets.committed(topic.name) ?? 0, topic.end);
    for (;;) {
      const records = await reader.next(position);
      const last = records.at(-1);
      if (last === undefined) return;
      position = last.offset + 1;
      const batch = batchOf(topic, records, position, offsets);
      await reader.insist('the batch could not be handled and comes again', () => handler(batch));
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
