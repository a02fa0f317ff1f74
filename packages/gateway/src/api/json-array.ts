import { EventCutter } from './event-cutter.ts';
import { BACKSLASH, CLOSE_LIST, CLOSE_OBJECT, OPEN_LIST, OPEN_OBJECT, QUOTE } from './parsing/json-bytes.ts';
import { StreamEvent } from './stream-event.ts';

/** Cuts a JSON array into events: one for each of its objects, and one for its end. */
export class JsonArrayCutter extends EventCutter {
  #depth = 0;
  #inString = false;
  #isEscaped = false;

  take(chunk: Buffer): StreamEvent[] {
    const events: StreamEvent[] = [];
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      if (!this.#endsEvent(chunk[at])) continue;
      events.push(eventOf(this.completed(chunk.subarray(from, at + 1))));
      from = at + 1;
    }
    this.keep(chunk, from);
    return events;
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
function eventOf(raw: Buffer): StreamEvent {
  const start = raw.indexOf(OPEN_OBJECT);
  return new StreamEvent(raw, start === -1 ? '' : raw.toString('utf8', start));
}
