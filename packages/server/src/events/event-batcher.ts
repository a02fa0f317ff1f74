import { LogError, type RecordSink } from '@loopwatch/log';
import type { Reserve } from './buffer-limit.ts';
import { limits } from './limits.ts';
import type { PostedEvent, Rejection } from './read-event.ts';

/** A failed write. The batch that starts at `line` may have been written in part; nothing after it was written. */
export interface LogFailure {
  readonly line: number;
  readonly error: unknown;
  /** Events that were read but not written. */
  readonly events: number;
}

export interface EventBatcherOptions {
  readonly sink: RecordSink;
  readonly reserve: Reserve;
  readonly onWritten: (events: readonly PostedEvent[]) => void;
  /** Called with an event that is too large for the log. */
  readonly onRejected: (rejection: Rejection) => void;
}

/** Writes events in order, in batches: a batch is written once it is large enough, or its first event has waited `lingerMs`. */
export class EventBatcher {
  readonly #options: EventBatcherOptions;
  #batch: PostedEvent[] = [];
  #size = 0;
  #linger: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #failure: LogFailure | undefined;

  constructor(options: EventBatcherOptions) {
    this.#options = options;
  }

  get failure(): LogFailure | undefined {
    return this.#failure;
  }

  /** Resolves when the next event may be added: not while a batch is being written. */
  async add(event: PostedEvent): Promise<void> {
    const size = event.record.value?.length ?? 0;
    if (this.#batch.length > 0 && this.#size + size > limits.batchBytes) await this.flush();
    else await this.#writing;
    this.#options.reserve(size);
    this.#batch.push(event);
    this.#size += size;
    this.#linger ??= setTimeout(() => void this.flush(), limits.lingerMs);
  }

  /** Resolves when every event added so far is written. */
  flush(): Promise<void> {
    clearTimeout(this.#linger);
    this.#linger = undefined;
    return (this.#writing = this.#writing.then(() => this.#write()));
  }

  async #write(): Promise<void> {
    const batch = this.#batch;
    const size = this.#size;
    this.#batch = [];
    this.#size = 0;
    let remaining = batch.length;
    for await (const result of this.#publish(this.#failure === undefined ? batch : [])) {
      if ('error' in result) this.#failure = { ...result, events: remaining };
      else if ('code' in result) this.#options.onRejected(result);
      else this.#options.onWritten(result.events);
      remaining -= 'events' in result ? result.events.length : 1;
    }
    this.#options.reserve(-size);
  }

  async *#publish(batch: readonly PostedEvent[]): AsyncGenerator<BatchResult> {
    const [first] = batch;
    if (first === undefined) return;
    const { line } = first;
    let failure: unknown;
    try {
      await this.#options.sink.publish(batch.map(({ record }) => record));
    } catch (error) {
      failure = error;
    }
    if (failure === undefined) yield { events: batch };
    else if (!(failure instanceof LogError && failure.code === 'record_too_large'))
      yield { line, error: failure };
    else if (batch.length === 1) {
      yield { line, code: 'too_large', detail: 'the event exceeds the maximum record size of the event log' };
    } else {
      // One by one, so that a record that is too large does not fail the rest of its batch.
      for (const event of batch) {
        for await (const result of this.#publish([event])) {
          yield result;
          if ('error' in result) return;
        }
      }
    }
  }
}

type BatchResult =
  | { readonly events: readonly PostedEvent[] }
  | Rejection
  | { readonly line: number; readonly error: unknown };
