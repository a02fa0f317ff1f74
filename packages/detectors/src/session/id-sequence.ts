import { packNumbers, unpackNumbers } from '../lib/packed-numbers.ts';

/** Shared by all empty sequences. */
const NOTHING: number[] = [];
/** Once there are twice as many ranges, the older half is dropped. */
const GENERATION = 24_576;

/**
 * Counters that only grew, as ranges. Ids that a producer counts up for all its sessions have gaps within each of
 * them; appending to the end is faster than a hash table, which is read at another place for each id.
 */
export class IdSequence {
  /** First and last counter of each range, ascending. */
  #bounds = NOTHING;

  /** @returns false if the counter is not greater than all before, and was not added */
  append(counter: number): boolean {
    const bounds = this.#bounds;
    const last = bounds.length - 1;
    const highest = bounds[last] ?? -1;
    if (counter <= highest) return false;
    if (counter === highest + 1 && last >= 0) bounds[last] = counter;
    else if (last < 0) this.#bounds = [counter, counter];
    else {
      if (bounds.length === 4 * GENERATION) bounds.splice(0, 2 * GENERATION);
      bounds.push(counter, counter);
    }
    return true;
  }

  has(counter: number): boolean {
    const bounds = this.#bounds;
    let low = 0;
    let high = bounds.length / 2;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((bounds[2 * middle + 1] ?? 0) < counter) low = middle + 1;
      else high = middle;
    }
    return (bounds[2 * low] ?? Infinity) <= counter;
  }

  /** The distance of each bound from the one before, packed. */
  snapshot(): string {
    let before = 0;
    const distances = this.#bounds.map((bound) => {
      const distance = bound - before;
      before = bound;
      return distance;
    });
    return packNumbers(distances);
  }

  restore(packed: string): void {
    let bound = 0;
    this.#bounds = packed === '' ? NOTHING : unpackNumbers(packed).map((distance) => (bound += distance));
  }
}
