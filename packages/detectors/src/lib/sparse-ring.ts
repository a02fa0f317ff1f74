/**
 * Numbers noted at some of the latest units of a text, 0 at all others. It allocates no memory until a number is noted,
 * and units without a number cost nothing.
 */
export class SparseRing {
  readonly #size: number;
  readonly #kind: typeof Uint16Array | typeof Uint32Array;
  #values: Uint16Array | Uint32Array | undefined;
  /** The latest unit at which a number was noted, and its slot. */
  #unit = 0;
  #slot = 0;

  /** Remembers the numbers of the latest `size` units. */
  constructor(size: number, kind: typeof Uint16Array | typeof Uint32Array) {
    this.#size = size;
    this.#kind = kind;
  }

  /** Advances to `unit`, at which nothing is noted yet. */
  moveTo(unit: number): void {
    this.#values ??= new this.#kind(this.#size);
    const values = this.#values;
    const size = this.#size;
    const steps = Math.min(unit - this.#unit, size);
    this.#unit = unit;
    for (let n = 0; n < steps; n += 1) {
      this.#slot = this.#slot + 1 === size ? 0 : this.#slot + 1;
      values[this.#slot] = 0;
    }
  }

  /** Notes a number at the current unit. */
  note(value: number): void {
    if (this.#values !== undefined) this.#values[this.#slot] = value;
  }

  /** The number `back` units before the current one. */
  at(back: number): number {
    if (this.#values === undefined || back >= this.#size) return 0;
    return this.#values[this.#slot < back ? this.#slot - back + this.#size : this.#slot - back] as number;
  }

  /** Forgets everything and releases the memory. */
  clear(): void {
    this.#values = undefined;
    this.#unit = 0;
  }
}
