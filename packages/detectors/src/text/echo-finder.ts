import { GramSamples } from './gram-samples.ts';
import { ringText } from './units-text.ts';

const HASH_BASE = 0x9e3779b1;
const MIN_CAPACITY = 256;
const GROWTH = 4;
/** Shared by finders without text: most sessions never stream any. */
const NO_UNITS = new Uint16Array(0);
const NO_SAMPLES = new GramSamples(1);

/**
 * Finds the echo at every unit of a text: the nearest earlier occurrence, within the reach, of the window that ends at
 * the unit.
 *
 * Only every `stride`-th gram (a short piece of the text) is sampled. Grams are so much shorter than the window that
 * every window contains exactly one sampled gram. If a window occurs again, a gram within its last `stride` units
 * equals a sample. So each unit costs one hash lookup, and in ordinary text that lookup finds nothing. A hash match is
 * only a candidate: the units are always compared.
 */
export class EchoFinder {
  /** Units of tracked text since the last restart. */
  length = 0;
  /** Distance from the latest window to its echo; 0 if it has none. */
  echo = 0;

  readonly window: number;
  readonly reach: number;
  readonly #gram: number;
  readonly #strideBits: number;
  readonly #fullCapacity: number;
  /** `HASH_BASE` to the power of the gram length: removes the oldest unit of a gram from its hash. */
  readonly #leaving: number;
  /** Inverse of `HASH_BASE`: undoes a multiplication by it. */
  readonly #unbase: number;

  /** Ring buffer of the text's last units; it grows until it holds the reach and the window. */
  #units = NO_UNITS;
  #samples = NO_SAMPLES;
  #slot = 0;
  /** Rolling hash of the latest gram. */
  #hash = 0;
  /** Units left in which an echo nearer than the known one may still appear. */
  #suspense = 0;

  constructor(window: number, reach: number) {
    this.window = window;
    this.reach = reach;
    // A longer stride would save more memory, but its shorter grams would cause more false matches.
    this.#strideBits = Math.min(3, 31 - Math.clz32(window / 3));
    const stride = 1 << this.#strideBits;
    this.#gram = window - stride + 1;
    this.#fullCapacity = Math.ceil((reach + window) / stride) * stride;
    this.#leaving = power(HASH_BASE, this.#gram);
    this.#unbase = power(HASH_BASE, 0x7fffffff);
  }

  /** Maximum past units that are stored. */
  get capacity(): number {
    return this.#fullCapacity;
  }

  /** Forgets the text: tracking starts with the next unit. */
  restart(): void {
    this.length = 0;
    this.echo = 0;
    this.#slot = 0;
    this.#hash = 0;
    this.#suspense = 0;
    this.#samples.clear();
  }

  /**
   * Appends units of `text` up to `to`, stopping after one that has an echo. This is the hot loop over every unit, so
   * it works on locals.
   *
   * @returns the index after the last appended unit
   */
  advance(text: Uint16Array, from: number, to: number): number {
    if (this.#slot === this.#units.length) this.#makeRoom();
    const units = this.#units;
    const samples = this.#samples;
    const gram = this.#gram;
    const leaving = this.#leaving;
    const strideBits = this.#strideBits;
    const { heads, hashes, older, shift } = samples;
    const capacity = units.length;
    const end = Math.min(to, from + capacity - this.#slot);
    const firstGram = from + gram - 1 - this.length;
    const lastOfStride = (1 << strideBits) - 1;
    let { echo } = this;
    let slot = this.#slot;
    let hash = this.#hash;
    let i = from;
    for (const start = Math.min(end, firstGram); i < start; i += 1) {
      const unit = text[i] as number;
      units[slot] = unit;
      hash = (Math.imul(hash, HASH_BASE) + unit) | 0;
      slot += 1;
    }
    let attentive = echo !== 0 || this.#suspense !== 0;
    while (i < end) {
      const unit = text[i] as number;
      units[slot] = unit;
      hash = (Math.imul(hash, HASH_BASE) + unit) | 0;
      if (i > firstGram) {
        const out = slot - gram;
        hash = (hash - Math.imul(units[out < 0 ? out + capacity : out] as number, leaving)) | 0;
      }
      i += 1;
      let sample = heads[hash >>> shift] as number;
      while (sample !== 0 && hashes[sample] !== hash) sample = older[sample] as number;
      if (sample !== 0 || attentive) {
        this.#examine(slot, this.length + i - from, hash, sample);
        echo = this.echo;
        attentive = echo !== 0 || this.#suspense !== 0;
      }
      if ((slot & lastOfStride) === lastOfStride) samples.take((slot >> strideBits) + 1, hash);
      slot += 1;
      if (echo !== 0) break;
    }
    this.length += i - from;
    this.#slot = slot;
    this.#hash = hash;
    return i;
  }

  /** The last units of the tracked text, at most `limit` of them. */
  tail(limit: number): string {
    return ringText(this.#units, this.#slot, Math.min(limit, this.length, this.#units.length));
  }

  /**
   * Finds the echo at a unit that may have one: its gram equals that of `sample`, there was an echo just before, or
   * one of the last grams had an equal sample.
   */
  #examine(slot: number, length: number, hash: number, sample: number): void {
    const { echo } = this;
    const units = this.#units;
    const goesOn = echo !== 0 && units[slot] === units[this.#slotBefore(slot, echo)];
    const near = sample === 0 ? 0 : this.#slotsSince(slot, sample);
    // A window whose gram matched is complete within one stride. An echo that ends may have hidden more distant ones.
    if (goesOn ? near !== 0 && near < echo : near !== 0 || echo !== 0) this.#suspense = 1 << this.#strideBits;
    if (this.#suspense === 0) return;
    this.#suspense -= 1;
    const nearest = this.#nearest(slot, hash, goesOn ? echo - 1 : Math.min(this.reach, length - this.window));
    this.echo = nearest === 0 && goesOn ? echo : nearest;
  }

  /**
   * The distance to the nearest earlier occurrence of the window that ends at `slot`, at most `limit`; 0 if there is
   * none. The window's sampled gram ends less than a stride before the window does.
   */
  #nearest(slot: number, latest: number, limit: number): number {
    const units = this.#units;
    const gram = this.#gram;
    const leaving = this.#leaving;
    const unbase = this.#unbase;
    const strideBits = this.#strideBits;
    const samples = this.#samples;
    const { heads, hashes, older, shift } = samples;
    const capacity = units.length;
    const first = this.#slotBefore(slot, this.window - 1);
    const firstUnit = units[first];
    let hash = latest;
    let bound = limit + 1;
    for (let behind = 0; behind >> strideBits === 0; behind += 1) {
      let sample = heads[hash >>> shift] as number;
      while (sample !== 0) {
        const since = slot + 1 - (sample << strideBits);
        const distance = (since < 0 ? since + capacity : since) - behind;
        if (distance >= bound) break;
        // If only the gram is equal, the window's first unit most likely differs, so compare it first.
        const there = first < distance ? first - distance + capacity : first - distance;
        if (distance > 0 && units[there] === firstUnit && hashes[sample] === hash) {
          if (this.#sameWindow(slot, distance)) {
            bound = distance;
            break;
          }
        }
        sample = older[sample] as number;
      }
      const end = this.#slotBefore(slot, behind);
      const entered = units[end] as number;
      const left = units[this.#slotBefore(end, gram)] as number;
      hash = Math.imul(hash - entered + Math.imul(left, leaving), unbase);
    }
    return bound > limit ? 0 : bound;
  }

  /**
   * Whether the window that ends at `slot` equals the one that ends `distance` units earlier. If only the gram is
   * equal, the units around it differ, so they are compared first.
   */
  #sameWindow(slot: number, distance: number): boolean {
    const { window } = this;
    const stride = 1 << this.#strideBits;
    for (let back = 0; back < stride; back += 1) if (this.#differs(slot, back, distance)) return false;
    for (let back = window - 1; back >= stride; back -= 1)
      if (this.#differs(slot, back, distance)) return false;
    return true;
  }

  #differs(slot: number, back: number, distance: number): boolean {
    const here = this.#slotBefore(slot, back);
    return this.#units[here] !== this.#units[this.#slotBefore(here, distance)];
  }

  #slotBefore(slot: number, back: number): number {
    return slot < back ? slot - back + this.#units.length : slot - back;
  }

  /** Units from the end of a sample to `slot`. */
  #slotsSince(slot: number, sample: number): number {
    const since = slot + 1 - (sample << this.#strideBits);
    return since < 0 ? since + this.#units.length : since;
  }

  /** The ring is full: wrap around, or grow if it is still smaller than the maximum. */
  #makeRoom(): void {
    const { length: capacity } = this.#units;
    if (capacity === this.#fullCapacity) {
      this.#slot = 0;
      return;
    }
    const units = this.#units;
    const samples = this.#samples;
    const strideBits = this.#strideBits;
    const room = Math.min(this.#fullCapacity, Math.max(MIN_CAPACITY, capacity * GROWTH));
    this.#units = new Uint16Array(room);
    this.#units.set(units);
    this.#samples = samples.grown(room >> strideBits);
  }
}

/** `base` to the power of `exponent`, modulo 2^32. */
function power(base: number, exponent: number): number {
  let result = 1;
  for (let square = base, rest = exponent; rest > 0; rest >>>= 1) {
    if (rest & 1) result = Math.imul(result, square);
    square = Math.imul(square, square);
  }
  return result;
}
