import { SseEvent } from './sse.ts';

const QUOTE = 34;
const OPEN_LIST = 91;
const BACKSLASH = 92;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** Cuts the bytes of a JSON array into events: one for each of its objects, and one for its end. Bytes are unchanged. */
export class JsonArrayCutter {
  readonly #limit: number;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #depth = 0;
  #inString = false;
  #isEscaped = false;

  /** @param limit upper bound of one event, in bytes */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether an incomplete event exceeds the limit; {@link rest} returns its bytes. */
  get isTooLarge(): boolean {
    return this.#pendingBytes > this.#limit;
  }

  /** The events completed by this chunk. */
  take(chunk: Buffer): SseEvent[] {
    const events: SseEvent[] = [];
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      if (!this.#endsEvent(chunk[at])) continue;
      this.#pending.push(chunk.subarray(from, at + 1));
      events.push(eventOf(this.rest()));
      from = at + 1;
    }
    if (from < chunk.length) {
      this.#pending.push(chunk.subarray(from));
      this.#pendingBytes += chunk.length - from;
    }
    return events;
  }

  /** The bytes of the incomplete event. */
  rest(): Buffer {
    const rest = Buffer.concat(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    return rest;
  }

  #endsEvent(byte: number | undefined): boolean {
    if (this.#inString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) this.#inString = false;
      return false;
    }
    if (byte === QUOTE) this.#inString = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.#depth += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      this.#depth -= 1;
      return this.#depth === (byte === CLOSE_OBJECT ? 1 : 0);
    }
    return false;
  }
}

/** An object comes with the bracket or comma before it. */
function eventOf(raw: Buffer): SseEvent {
  const start = raw.indexOf(OPEN_OBJECT);
  return new SseEvent(raw, start === -1 ? '' : raw.toString('utf8', start));
}
