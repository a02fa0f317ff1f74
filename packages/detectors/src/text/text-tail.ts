import { earlierOccurrences } from './earlier-occurrences.ts';
import { ringText } from './units-text.ts';

const MIN_CAPACITY = 256;
const GROWTH = 4;

/** The last units of a text. Memory grows with the text up to the capacity. */
export class TextTail {
  readonly #capacity: number;
  #units = new Uint16Array(0);
  /** Units of the text so far, at most the capacity. */
  #held = 0;
  #slot = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  append(text: string, from: number, to: number): void {
    for (let i = Math.max(from, to - this.#capacity); i < to; ) {
      if (this.#slot === this.#units.length) this.#makeRoom();
      const units = this.#units;
      const slot = this.#slot;
      const size = Math.min(to - i, units.length - slot);
      for (let offset = 0; offset < size; offset += 1) units[slot + offset] = text.charCodeAt(i + offset);
      i += size;
      this.#slot = slot + size;
    }
    this.#held = Math.min(this.#capacity, this.#held + to - from);
  }

  /** The last units, at most `limit`, ignoring the last `skipped` ones. */
  text(limit: number, skipped = 0): string {
    const size = Math.min(limit, Math.max(0, this.#held - skipped));
    return ringText(this.#units, this.#slot - skipped, size);
  }

  /**
   * Distances from the last `length` units to where they occurred before, nearest first, no farther than `reach`, at
   * most `most` of them. The last `skipped` units are left out.
   */
  occurrences(length: number, reach: number, most: number, skipped: number): number[] {
    const farthest = Math.min(reach, this.#held - skipped - length);
    return earlierOccurrences(this.#units, this.#slot - 1 - skipped, length, farthest, most);
  }

  clear(): void {
    this.#held = 0;
    this.#slot = 0;
  }

  /** The ring is full: wrap around, or grow if it is still smaller than the capacity. */
  #makeRoom(): void {
    const units = this.#units;
    const capacity = this.#capacity;
    if (units.length === capacity) this.#slot = 0;
    else {
      this.#units = new Uint16Array(Math.min(capacity, Math.max(MIN_CAPACITY, units.length * GROWTH)));
      this.#units.set(units);
    }
  }
}
