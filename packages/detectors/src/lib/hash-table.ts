import { packNumbers, unpackNumbers } from './packed-numbers.ts';

/** Shared by all empty tables: slots are allocated on first use. */
const NOTHING: number[] = [];
const FREE = -1;
const FEWEST = 8;
/** Tables up to this many slots may fill all but one: a scan is short, and memory matters more. */
const SMALL = 128;
/** Once the newer half holds this many hashes, the older half is dropped. */
const GENERATION = 24_576;

/**
 * Hashes of 53 bits, each with a set of up to 32 bits: at least the latest 24,576, at most twice as many. One array
 * holds one number per hash, or two if bit sets are used; a typed array would cost 200 bytes more, because its buffer
 * is a separate object outside the heap.
 */
export class HashTable {
  #slots = NOTHING;
  #older = NOTHING;
  #count = 0;
  /** Numbers per slot: the hash alone, or the hash and its bits. */
  readonly #width: 1 | 2;

  constructor(width: 1 | 2) {
    this.#width = width;
  }

  /** @param bit 1 if slots hold the hash alone. @returns whether the hash with this bit is new */
  add(hash: number, bit: number): boolean {
    const width = this.#width;
    const older = this.#older;
    if (this.#count < GENERATION) this.#makeRoom();
    const at = find(this.#slots, width, hash);
    const bits = bitsAt(this.#slots, width, at, hash);
    const known = older.length === 0 ? bits : bits | bitsAt(older, width, find(older, width, hash), hash);
    if ((known & bit) !== 0) return false;
    if (bits === 0 && this.#count === GENERATION) {
      this.#older = this.#slots;
      this.#slots = NOTHING;
      this.#count = 0;
      return this.add(hash, known | bit);
    }
    put(this.#slots, width, at, hash, known | bit);
    if (bits === 0) this.#count += 1;
    return true;
  }

  /** Called before a lookup, so that the slot where the lookup ends is where the hash is inserted. */
  #makeRoom(): void {
    const slots = this.#slots;
    const width = this.#width;
    const count = this.#count;
    const size = slots.length / width;
    if (count < (size > SMALL ? size * 0.75 : size - 1)) return;
    const roomy = new Array<number>(Math.max(size * 2, FEWEST) * width).fill(FREE);
    for (let at = 0; at < slots.length; at += width) {
      const hash = slots[at] ?? FREE;
      if (hash !== FREE) put(roomy, width, find(roomy, width, hash), hash, slots[at + 1] ?? 0);
    }
    this.#slots = roomy;
  }

  snapshot(): HashTableSnapshot {
    return { latest: this.#pack(this.#slots), older: this.#pack(this.#older) };
  }

  restore({ latest, older }: HashTableSnapshot): void {
    this.#refill(older);
    this.#older = this.#slots;
    this.#refill(latest);
  }

  /** In ascending order: where hashes lie depends on the order in which they came. */
  #pack(slots: readonly number[]): string {
    if (slots.length === 0) return '';
    const width = this.#width;
    const hashes = Float64Array.from(slots.filter((hash, at) => at % width === 0 && hash !== FREE)).sort();
    const numbers: number[] = [];
    let before = 0;
    for (const hash of hashes) {
      numbers.push(hash - before);
      if (width > 1) numbers.push(bitsAt(slots, width, find(slots, width, hash), hash) >>> 0);
      before = hash;
    }
    return packNumbers(numbers);
  }

  #refill(packed: string): void {
    const width = this.#width;
    const numbers = unpackNumbers(packed);
    this.#slots = NOTHING;
    this.#count = 0;
    let hash = 0;
    for (let at = 0; at < numbers.length; at += width) {
      this.#makeRoom();
      hash += numbers[at] ?? 0;
      put(this.#slots, width, find(this.#slots, width, hash), hash, (numbers[at + 1] ?? 0) | 0);
      this.#count += 1;
    }
  }
}

/** The distances between the hashes, packed, each followed by the bits of the hash if bit sets are used. */
export interface HashTableSnapshot {
  readonly latest: string;
  readonly older: string;
}

/** The slot of the hash, or the free slot where it belongs; at least one slot is free. */
function find(slots: readonly number[], width: number, hash: number): number {
  let at = (hash | 0) * width;
  for (;;) {
    at &= slots.length - 1;
    const there = slots[at];
    if (there === hash || there === FREE) return at;
    at += width;
  }
}

/** The bits stored at this slot for this hash; 0 if the slot does not hold it. */
function bitsAt(slots: readonly number[], width: number, at: number, hash: number): number {
  if (slots[at] !== hash) return 0;
  return width === 1 ? 1 : (slots[at + 1] ?? 0);
}

function put(slots: number[], width: number, at: number, hash: number, bits: number): void {
  slots[at] = hash;
  if (width > 1) slots[at + 1] = bits;
}
