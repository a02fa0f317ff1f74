import { BACKSLASH, CLOSE_LIST, CLOSE_OBJECT, COMMA, OPEN_LIST, OPEN_OBJECT, QUOTE } from './json-bytes.ts';

/** Longer strings are parsed in pieces. */
const LONG_BYTES = 256 * 1024;

/** The offsets of a string's quotes. */
export interface StringSpan {
  readonly open: number;
  readonly close: number;
}

/** Finds the end of a JSON value, some bytes at a time. The text must be valid JSON; otherwise the result is arbitrary. */
export class ValueScan {
  /** Long strings in the value, in order. */
  readonly long: StringSpan[] = [];
  readonly #raw: Buffer;
  #at: number;
  #depth = 0;
  /** Offset of the quote of the string that is being scanned. */
  #open: number | undefined;

  constructor(raw: Buffer, from: number) {
    this.#raw = raw;
    this.#at = from;
  }

  /** Scans on. @returns the offset after the value; undefined if it is not reached after this many bytes */
  advance(bytes: number): number | undefined {
    const raw = this.#raw;
    const until = Math.min(raw.length, this.#at + bytes);
    while (this.#at < until) {
      const end = this.#open === undefined ? this.#scanValue(until) : this.#scanString(until, this.#open);
      if (end !== undefined) return end;
    }
    return this.#at >= raw.length ? raw.length : undefined;
  }

  #scanValue(until: number): number | undefined {
    const raw = this.#raw;
    let depth = this.#depth;
    let at = this.#at;
    for (; at < until; at += 1) {
      const byte = raw[at];
      if (byte === QUOTE) {
        this.#open = at;
        at += 1;
        break;
      }
      if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        // A number or a name ends before the bracket around it.
        if (depth === 0) return at;
        depth -= 1;
        if (depth === 0) return at + 1;
      } else if (byte === COMMA && depth === 0) return at;
    }
    this.#depth = depth;
    this.#at = at;
    return undefined;
  }

  #scanString(until: number, open: number): number | undefined {
    const raw = this.#raw;
    let at = this.#at;
    for (; at < until; at += 1) {
      const byte = raw[at];
      if (byte === QUOTE) {
        if (at - open > LONG_BYTES) this.long.push({ open, close: at });
        this.#open = undefined;
        this.#at = at + 1;
        return this.#depth === 0 ? at + 1 : undefined;
      }
      if (byte === BACKSLASH) at += 1;
    }
    this.#at = at;
    return undefined;
  }
}
