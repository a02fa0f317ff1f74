import type { PureVerdict } from '@loopwatch/detectors';
import { StreamEvent } from '../api/stream-event.ts';

/** What waits to be sent to the client, and the text in it, which is judged before. */
export class PendingEvents {
  readonly #onSent: (event: StreamEvent) => void;
  #parts: (StreamEvent | Buffer | string)[] = [];
  #text = '';
  /** Where the text of each event ends, and how many parts are sent up to it. */
  #ends: { readonly units: number; readonly parts: number }[] = [];

  /** @param onSent called for each event when it is sent */
  constructor(onSent: (event: StreamEvent) => void) {
    this.#onSent = onSent;
  }

  push(part: StreamEvent | Buffer | string): void {
    this.#parts.push(part);
  }

  /** The text that is not judged yet. */
  get text(): string {
    return this.#text;
  }

  /** Adds the text of the latest event. */
  addText(text: string): void {
    if (text === '') return;
    this.#text += text;
    this.#ends.push({ units: this.#text.length, parts: this.#parts.length });
  }

  /**
   * The text loops: drops what comes after the event that completes the loop.
   *
   * @param textUnits length of all texts of the session, including this one
   */
  endAtLoop({ evidence }: PureVerdict, textUnits: number): void {
    const first = 'at' in evidence ? evidence.at + 1 - (textUnits - this.#text.length) : Infinity;
    const end = this.#ends.find(({ units }) => units >= first) ?? this.#ends.at(-1);
    this.#parts.length = end?.parts ?? 0;
  }

  /** The text was judged. */
  clearText(): void {
    this.#text = '';
    this.#ends = [];
  }

  /** Notes all events as sent. @returns what to send */
  markSent(): readonly (Buffer | string)[] {
    const parts = this.#parts.map((part) => {
      if (!(part instanceof StreamEvent)) return part;
      this.#onSent(part);
      return part.raw;
    });
    this.#parts = parts;
    return parts;
  }

  /** What to send now; undefined if nothing waits. */
  take(): Buffer | string | undefined {
    const parts = this.markSent();
    this.#parts = [];
    if (parts.length <= 1) return parts[0];
    return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  }
}
