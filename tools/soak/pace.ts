import { setTimeout as delay } from 'node:timers/promises';

/** Spreads work evenly over a period. */
export class Pace {
  readonly #began = performance.now();
  readonly #ms: number;

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Resolves when this share of the period, from 0 to 1, has passed. */
  async reach(share: number): Promise<void> {
    const left = this.#began + share * this.#ms - performance.now();
    if (left > 0) await delay(left);
  }
}
