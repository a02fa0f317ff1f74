import { ownCopy } from '../lib/own-copy.ts';

/** Units that are added before all are copied: many small pieces take several times the memory of one text. */
const SPARE = 512;

/** The last units of a text. As a string, it is searched fast, and snapshots share it. */
export class TextTail {
  readonly #capacity: number;
  #text = '';
  /** Its length at the latest copy. */
  #copied = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  append(text: string, from: number, to: number): void {
    // Part of an event's text would keep all of it.
    this.#text += to - from === text.length ? text : ownCopy(text, from, to);
    const { length } = this.#text;
    if (length < this.#copied + SPARE) return;
    this.#text = ownCopy(this.#text, Math.max(0, length - this.#capacity), length);
    this.#copied = this.#text.length;
  }

  /** The last units, at most `limit`, ignoring the last `skipped` ones. */
  text(limit: number, skipped = 0): string {
    const { length } = this.#text;
    const first = length - Math.min(length, this.#capacity);
    const end = Math.max(first, length - skipped);
    return this.#text.slice(Math.max(first, end - limit), end);
  }

  clear(): void {
    this.#text = '';
    this.#copied = 0;
  }
}
