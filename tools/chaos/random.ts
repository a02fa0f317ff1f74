/** Random numbers that are the same in every run with the same seed (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** From 0 up to, but not including, 1. */
  unit(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number, both ends included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.unit() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  /** @throws Error when there is nothing to choose from */
  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.unit() * items.length)];
    if (item === undefined) throw new Error('nothing to choose from');
    return item;
  }

  /** Another sequence, independent of further use of this one. */
  fork(): Random {
    return new Random(this.between(0, 2 ** 31));
  }
}
