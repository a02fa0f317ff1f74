import type { Json } from './conversation.ts';
import { parseObject } from './json.ts';

/** One server-sent event, or an object of a JSON array that is streamed. */
export class SseEvent {
  /** Its bytes, including the blank line that ends it. */
  readonly raw: Buffer;
  /** The `data` lines, joined, or the object; empty if there are none. */
  readonly data: string;
  #json: Json | null | undefined;

  constructor(raw: Buffer, data = dataOf(raw)) {
    this.raw = raw;
    this.data = data;
  }

  /** The data as a JSON object; undefined if it is none. */
  get json(): Json | undefined {
    if (this.#json === undefined) this.#json = this.data === '' ? null : (parseObject(this.data) ?? null);
    return this.#json ?? undefined;
  }
}

const LF = 10;
const CR = 13;
const NOTHING = Buffer.alloc(0);
const DATA = Buffer.from('data: ');

/** Cuts a byte stream into server-sent events, independent of its chunks. Bytes are unchanged. */
export class SseCutter {
  readonly #limit: number;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** Whether the current line has a character besides CR. */
  #inLine = false;
  #hasLines = false;
  /** Whether the previous byte was the stream's first CR: the next byte decides whether CR alone ends lines. */
  #afterFirstCr = false;
  #lineEnd: typeof LF | typeof CR | undefined;

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
          events.push(this.#event(chunk.subarray(from, at + 1)));
          from = at + 1;
          this.#hasLines = false;
        }
        // Blank lines between events belong to the next one.
        else if (this.#inLine) this.#hasLines = true;
        this.#inLine = false;
      } else if (byte !== CR && byte !== LF) this.#inLine = true;
    }
    if (from < chunk.length) {
      this.#pending.push(from === 0 ? chunk : chunk.subarray(from));
      this.#pendingBytes += chunk.length - from;
    }
    return events;
  }

  /** The bytes of the incomplete event. */
  rest(): Buffer {
    const rest = this.#pending.length === 0 ? NOTHING : Buffer.concat(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    return rest;
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

  #event(last: Buffer): SseEvent {
    const raw = this.#pending.length === 0 ? last : Buffer.concat([...this.#pending, last]);
    this.#pending = [];
    this.#pendingBytes = 0;
    return new SseEvent(raw);
  }
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
