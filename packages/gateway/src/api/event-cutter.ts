import type { StreamEvent } from './stream-event.ts';

const NOTHING = Buffer.alloc(0);

/** Cuts the bytes of a streamed reply into events, independent of its chunks. Bytes are unchanged. */
export abstract class EventCutter {
  readonly #limit: number;
  #pending: Buffer[] = [];
  #pendingBytes = 0;

  /** @param limit upper bound of one event, in bytes */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether an incomplete event exceeds the limit; {@link rest} returns its bytes. */
  get isTooLarge(): boolean {
    return this.#pendingBytes > this.#limit;
  }

  /** The events completed by this chunk. */
  abstract take(chunk: Buffer): StreamEvent[];

  /** The bytes of the incomplete event. */
  rest(): Buffer {
    return this.completed(NOTHING);
  }

  /** The bytes of an event whose last ones are these. */
  protected completed(last: Buffer): Buffer {
    if (this.#pending.length === 0) return last;
    const whole = Buffer.concat([...this.#pending, last]);
    this.#pending = [];
    this.#pendingBytes = 0;
    return whole;
  }

  /** Keeps what follows the last complete event of a chunk. */
  protected keep(chunk: Buffer, from: number): void {
    if (from === chunk.length) return;
    this.#pending.push(from === 0 ? chunk : chunk.subarray(from));
    this.#pendingBytes += chunk.length - from;
  }
}
