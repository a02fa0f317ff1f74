import type { Reserve } from './buffer-limit.ts';

/** Joins bytes that arrive in parts. They are copied: thousands of tiny parts would hold far more than their bytes. */
export class ByteCollector {
  readonly #hold: Reserve;
  #bytes = Buffer.alloc(0);
  #size = 0;

  constructor(hold: Reserve) {
    this.#hold = hold;
  }

  get size(): number {
    return this.#size;
  }

  add(part: Buffer): void {
    this.#hold(part.length);
    const size = this.#size + part.length;
    if (size > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(size, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, this.#size);
      this.#bytes = larger;
    }
    part.copy(this.#bytes, this.#size);
    this.#size = size;
  }

  /** Hands over what there is, and begins with nothing. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#size);
    this.#hold(-this.#size);
    this.#bytes = Buffer.alloc(0);
    this.#size = 0;
    return taken;
  }
}
