import type { PureVerdict } from '@loopwatch/detectors';

/** The text of events that wait to be sent. */
export class PendingText {
  #whole = '';
  /** Where the text of each event ends, and how many events are sent up to it. */
  #ends: { readonly units: number; readonly events: number }[] = [];

  get isEmpty(): boolean {
    return this.#whole === '';
  }

  get whole(): string {
    return this.#whole;
  }

  /** @param events how many events wait, including the one with this text */
  add(text: string, events: number): void {
    if (text === '') return;
    this.#whole += text;
    this.#ends.push({ units: this.#whole.length, events });
  }

  /**
   * How many events to send if the text loops: up to the one that completes the loop.
   *
   * @param textUnits length of all texts of the session, including this one
   */
  eventsUntilLoop({ evidence }: PureVerdict, textUnits: number): number {
    const last = this.#ends.at(-1)?.events ?? 0;
    if (!('at' in evidence)) return last;
    const loopEnd = evidence.at + 1 - (textUnits - this.#whole.length);
    return this.#ends.find(({ units }) => units >= loopEnd)?.events ?? last;
  }

  clear(): void {
    this.#whole = '';
    this.#ends = [];
  }
}
