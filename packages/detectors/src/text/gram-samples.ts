/**
 * A hash table of samples: short pieces of a text ("grams"), taken at regular intervals and stored in a ring buffer. A
 * new sample replaces the oldest one once the ring is full. Sample numbers start at 1; 0 means none.
 *
 * The fields are public because the hot loop that looks up every unit accesses them directly.
 */
export class GramSamples {
  /** Newest sample of each bucket. */
  readonly heads: Uint16Array;
  /** Hash of each sample. */
  readonly hashes: Int32Array;
  /** The next older and the next newer sample in the same bucket. */
  readonly older: Uint16Array;
  readonly #newer: Uint16Array;
  /** A hash's bucket is its upper bits: `hash >>> shift`. */
  readonly shift: number;
  readonly #size: number;
  /** Number of stored samples, and the number of the newest one. */
  #held = 0;
  #newest = 0;

  constructor(size: number) {
    this.#size = size;
    // With two to four buckets per sample, most failing lookups end at the first probe.
    this.shift = Math.clz32(size) - 1;
    const buckets = 1 << (32 - this.shift);
    // One buffer, because each buffer has its own overhead in time and memory.
    const buffer = new ArrayBuffer(8 * (size + 1) + 2 * buckets);
    this.hashes = new Int32Array(buffer, 0, size + 1);
    this.older = new Uint16Array(buffer, 4 * (size + 1), size + 1);
    this.#newer = new Uint16Array(buffer, 6 * (size + 1), size + 1);
    this.heads = new Uint16Array(buffer, 8 * (size + 1), buckets);
  }

  /** A larger copy of the table. Call only while no sample has been dropped. */
  grown(size: number): GramSamples {
    const grown = new GramSamples(size);
    for (let number = 1; number <= this.#newest; number += 1)
      grown.take(number, this.hashes[number] as number);
    return grown;
  }

  /** Adds the next sample; `number` runs from 1 to the size, then starts at 1 again. */
  take(number: number, hash: number): void {
    const { heads, hashes, older } = this;
    const newer = this.#newer;
    if (this.#held === this.#size) this.#dropOldest(number);
    else this.#held += 1;
    const bucket = hash >>> this.shift;
    const next = heads[bucket] as number;
    hashes[number] = hash;
    older[number] = next;
    newer[number] = 0;
    newer[next] = number;
    heads[bucket] = number;
    this.#newest = number;
  }

  /** The oldest sample is the last in its bucket. */
  #dropOldest(number: number): void {
    const newer = this.#newer[number] as number;
    if (newer === 0) this.heads[(this.hashes[number] as number) >>> this.shift] = 0;
    else this.older[newer] = 0;
  }

  /** Drops all samples, in time proportional to their number. */
  clear(): void {
    for (let number = this.#newest; this.#held > 0; this.#held -= 1) {
      this.heads[(this.hashes[number] as number) >>> this.shift] = 0;
      number = number === 1 ? this.#size : number - 1;
    }
  }
}
