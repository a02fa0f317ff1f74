import { EventCutter } from './event-cutter.ts';
import { StreamEvent } from './stream-event.ts';

const LF = 10;
const CR = 13;
const DATA = Buffer.from('data: ');

/** Cuts a byte stream into server-sent events. */
export class SseCutter extends EventCutter {
  /** Whether the current line has a character besides CR. */
  #inLine = false;
  #hasLines = false;
  /** Whether the previous byte was the stream's first CR: the next byte decides whether CR alone ends lines. */
  #afterFirstCr = false;
  #lineEnd: typeof LF | typeof CR | undefined;

  take(chunk: Buffer): StreamEvent[] {
    const events: StreamEvent[] = [];
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      if (this.#lineEnd === LF) {
        // Most bytes are in lines: the next end is found faster than each byte is looked at.
        const end = chunk.indexOf(LF, at);
        const lineEnd = end === -1 ? chunk.length : end;
        for (; !this.#inLine && at < lineEnd; at += 1) this.#inLine = chunk[at] !== CR;
        if (end === -1) break;
        at = end;
      }
      const byte = chunk[at];
      if (this.#lineEnd === undefined) this.#settleLineEnd(byte);
      if (byte === this.#lineEnd) {
        if (!this.#inLine && this.#hasLines) {
          events.push(eventOf(this.completed(chunk.subarray(from, at + 1))));
          from = at + 1;
          this.#hasLines = false;
        }
        // Blank lines between events belong to the next one.
        else if (this.#inLine) this.#hasLines = true;
        this.#inLine = false;
      } else if (byte !== CR && byte !== LF) this.#inLine = true;
    }
    this.keep(chunk, from);
    return events;
  }

  #settleLineEnd(byte: number | undefined): void {
    if (byte === LF) this.#lineEnd = LF;
    else if (this.#afterFirstCr) {
      this.#lineEnd = CR;
      // The CR before this byte ended a line.
      this.#hasLines = this.#inLine;
      this.#inLine = false;
    } else this.#afterFirstCr = byte === CR;
  }
}

function eventOf(raw: Buffer): StreamEvent {
  return new StreamEvent(raw, dataOf(raw));
}

function dataOf(raw: Buffer): string {
  // Most events are one line.
  const end = raw.length - 2;
  const isPlain = raw[end - 1] !== CR && raw[end + 1] === LF && raw.indexOf(LF) === end;
  if (isPlain && end > DATA.length && DATA.equals(raw.subarray(0, DATA.length)))
    return raw.toString('utf8', DATA.length, end);
  const text = raw.toString('utf8');
  let data: string | undefined;
  for (const line of text.split(text.includes('\n') ? '\n' : '\r')) {
    if (!line.startsWith('data:')) continue;
    const end = line.endsWith('\r') ? line.length - 1 : line.length;
    const value = line.slice(line[5] === ' ' ? 6 : 5, end);
    data = data === undefined ? value : `${data}\n${value}`;
  }
  return data ?? '';
}

/** A server-sent event with JSON data. */
export function sseText(data: unknown, event?: string): string {
  const head = event === undefined ? '' : `event: ${event}\n`;
  return `${head}data: ${JSON.stringify(data)}\n\n`;
}
