import { LogError, type RecordSink } from '@loopwatch/log';
import type { Reserve } from './buffer-limit.ts';
import { limits } from './limits.ts';
import type { PostedEvent, Rejection } from './read-event.ts';

/** Where the log failed; what is behind was not written, and the lot it begins perhaps in part. */
export interface LogFailure {
  readonly line: number;
  readonly error: unknown;
  /** Events that were read and not written. */
  readonly events: number;
}

export interface EventBatcherOptions {
  readonly sink: RecordSink;
  readonly hold: Reserve;
  readonly onWritten: (events: readonly PostedEvent[]) => void;
  /** Called with an event that the log is too small for. */
  readonly onRejected: (rejection: Rejection) => void;
}

/** Writes events in their order, a lot at a time: once there is enough of it, or it has waited long enough for more. */
export class EventBatcher {
  readonly #options: EventBatcherOptions;
  #lot: PostedEvent[] = [];
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

  /** Resolves when the next one may come: not while a lot is written. */
  async add(event: PostedEvent): Promise<void> {
    const size = event.record.value?.length ?? 0;
    if (this.#lot.length > 0 && this.#size + size > limits.batchBytes) await this.flush();
    else await this.#writing;
    this.#options.hold(size);
    this.#lot.push(event);
    this.#size += size;
    this.#linger ??= setTimeout(() => void this.flush(), limits.lingerMs);
  }

  /** Resolves when all of them are written. */
  flush(): Promise<void> {
    clearTimeout(this.#linger);
    this.#linger = undefined;
    return (this.#writing = this.#writing.then(() => this.#write()));
  }

  async #write(): Promise<void> {
    const lot = this.#lot;
    const size = this.#size;
    this.#lot = [];
    this.#size = 0;
    let left = lot.length;
    for await (const part of this.#publish(this.#failure === undefined ? lot : [])) {
      if ('error' in part) this.#failure = { ...part, events: left };
      else if ('code' in part) this.#options.onRejected(part);
      else this.#options.onWritten(part.events);
      left -= 'events' in part ? part.events.length : 1;
    }
    this.#options.hold(-size);
  }

  async *#publish(lot: readonly PostedEvent[]): AsyncGenerator<BatchResult> {
    const [first] = lot;
    if (first === undefined) return;
    const { line } = first;
    let failure: unknown;
    try {
      await this.#options.sink.publish(lot.map(({ record }) => record));
    } catch (error) {
      failure = error;
    }
    if (failure === undefined) yield { events: lot };
    else if (!(failure instanceof LogError && failure.code === 'record_too_large'))
      yield { line, error: failure };
    else if (lot.length === 1) {
      yield { line, code: 'too_large', detail: 'the event log takes no event that large' };
    } else {
      // A record that is refused for its size must not take its neighbours with it.
      for (const event of lot) {
        for await (const part of this.#publish([event])) {
          yield part;
          if ('error' in part) return;
        }
      }
    }
  }
}

type BatchResult =
  | { readonly events: readonly PostedEvent[] }
  | Rejection
  | { readonly line: number; readonly error: unknown };
