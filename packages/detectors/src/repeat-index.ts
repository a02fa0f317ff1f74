import type { TextRepeatOptions } from './plan.ts';

/** Told about the units at which a window has occurred often enough, close enough together. */
export interface RepeatListener {
  /** The rule holds at the unit `i` of the appended text; `count` occurrences of its window. */
  onRepeat(i: number, count: number): void;
  /** The rule has not held for {@link RepeatIndex.quietAfter} units. */
  onQuiet(i: number): void;
}

const HASH_BASE = 0x01000193;
/** Spreads a hash over its upper half, from which the bucket is taken. */
const MIXER = 0x2c1b3c6d;
const MIN_CAPACITY = 256;

/**
 * Finds, at every unit of a text, how often the window that ends there has occurred in the text's recent past.
 *
 * The rule "the last `threshold` occurrences of a window lie on average at most `maxDistance` apart" looks back at
 * most `reach` = (threshold - 1) x maxDistance units, so only the windows of that stretch are kept: their units in a
 * ring, and a hash table over them whose chains are distances between units. A rolling hash finds the candidates, the
 * units themselves decide. Where the windows before two units were equal already, one comparison settles the next, so
 * every unit costs the same small time however long the text and however repetitive.
 */
export class RepeatIndex {
  /** Units of tracked text since the last restart. */
  length = 0;
  private readonly window: number;
  /** Earlier occurrences that make the rule hold. */
  private readonly needed: number;
  private readonly reach: number;
  private readonly fullCapacity: number;
  private readonly half: number;
  /** `HASH_BASE` to the power of the window: takes the unit that leaves a window out of its hash. */
  private readonly leaving: number;

  /** Ring of units, and for each the distance to the one before it in its hash bucket (0: none). */
  private units = new Uint16Array(0);
  private chain = new Uint16Array(0);
  /** By bucket: number of the unit at which its latest window ends; one out of reach counts for nothing. */
  private heads = new Uint32Array(0);
  private capacity = 0;
  private slot = 0;
  /** Number of the next unit, modulo 2^32. A restart skips more than the reach, and so makes every head stale. */
  private position: number;
  /** Rolling hash of the latest window. */
  private hash = 0;
  /** Distances to the earlier occurrences of the latest window, nearest first, at most `needed`. */
  private matches: number[] = [];
  private spare: number[] = [];

  /** Occurrences by slot while the rule keeps holding; empty while it does not. */
  private counts = new Uint32Array(0);
  /** `length` at which {@link RepeatListener.onQuiet} is due. */
  private quietAt = Number.POSITIVE_INFINITY;

  constructor(options: TextRepeatOptions) {
    this.window = options.window;
    this.needed = options.threshold - 1;
    this.reach = this.needed * options.maxDistance;
    this.fullCapacity = this.reach + this.window + 1;
    this.position = this.reach + 1;
    this.half = this.window >> 1;
    let power = 1;
    for (let i = 0; i < this.window; i += 1) power = Math.imul(power, HASH_BASE);
    this.leaving = power;
  }

  /** Units without the rule holding after which a loop is over. */
  get quietAfter(): number {
    return this.reach / this.needed;
  }

  /** Forgets the text: tracking starts with the next unit. */
  restart(): void {
    if (this.length === 0) return;
    this.length = 0;
    this.slot = 0;
    this.position += this.reach + 1;
    this.hash = 0;
    this.matches.length = 0;
    this.settle();
  }

  /** The loop is over: stop counting, and do not call {@link RepeatListener.onQuiet} again. */
  settle(): void {
    this.quietAt = Number.POSITIVE_INFINITY;
    if (this.counts.length > 0) this.counts = new Uint32Array(0);
  }

  /** Appends `text` from `from` up to `to`, and tells the listener what is found at which unit. */
  append(text: string, from: number, to: number, listener: RepeatListener): void {
    for (let i = from; i < to; ) {
      if (this.slot === this.capacity) this.makeRoom();
      const end = Math.min(to, i + this.capacity - this.slot);
      i = this.appendWithin(text, i, end);
      if (this.matches.length === this.needed) {
        this.quietAt = this.length + this.quietAfter;
        listener.onRepeat(i - 1, this.countAt(this.slot - 1));
        continue;
      }
      if (this.counts.length > 0) this.counts[this.slot - 1] = 0;
      if (this.length >= this.quietAt) {
        this.settle();
        listener.onQuiet(i - 1);
      }
    }
  }

  /**
   * Appends units up to the end of the ring, but stops behind the first one that the caller has to look at: one whose
   * window has occurred before, or any while a loop is open. This is the loop that every unit passes, so it works on
   * locals only.
   */
  private appendWithin(text: string, from: number, to: number): number {
    const { units, chain, heads, capacity, window, reach, leaving, half } = this;
    const mask = heads.length - 1;
    const watching = this.quietAt !== Number.POSITIVE_INFINITY || this.matches.length > 0;
    const firstWindow = from + window - 1 - this.length;
    let { slot, position, hash } = this;
    let i = from;
    for (; i < to; i += 1, slot += 1, position += 1) {
      const unit = text.charCodeAt(i);
      units[slot] = unit;
      hash = (Math.imul(hash, HASH_BASE) + unit) | 0;
      if (i < firstWindow) continue;
      if (i > firstWindow) {
        const out = slot - window;
        hash = (hash - Math.imul(units[out < 0 ? out + capacity : out] as number, leaving)) | 0;
      }
      const bucket = (Math.imul(hash, MIXER) >>> 16) & mask;
      const nearest = (position - (heads[bucket] as number)) >>> 0;
      heads[bucket] = position;
      let repeats = watching;
      if (nearest > reach) {
        chain[slot] = 0;
      } else {
        chain[slot] = nearest;
        // A window like this one ends with the same unit and has the same unit in the middle.
        const middle = units[slot < half ? slot - half + capacity : slot - half];
        for (let distance = nearest; distance <= reach && !repeats; ) {
          const earlier = slot < distance ? slot - distance + capacity : slot - distance;
          repeats =
            units[earlier] === unit &&
            units[earlier < half ? earlier - half + capacity : earlier - half] === middle;
          const step = chain[earlier] as number;
          if (step === 0) break;
          distance += step;
        }
      }
      if (repeats) {
        this.match(slot, chain[slot] as number);
        if (watching || this.matches.length > 0) {
          i += 1;
          slot += 1;
          position += 1;
          break;
        }
      }
    }
    this.length += i - from;
    this.slot = slot;
    this.position = position;
    this.hash = hash;
    return i;
  }

  /** The last units of the tracked text, at most `limit` of them. */
  tail(limit: number): string {
    const size = Math.min(limit, this.length, this.capacity);
    let text = '';
    for (let back = size; back > 0; back -= 1)
      text += String.fromCharCode(this.units[this.slotBefore(this.slot, back)] as number);
    return text;
  }

  snapshot(): RepeatSnapshot {
    const text = this.tail(this.fullCapacity);
    const counts =
      this.counts.length === 0
        ? []
        : Array.from({ length: text.length }, (_, i) => this.countBefore(text.length - i));
    return { text, counts, quietIn: Number.isFinite(this.quietAt) ? this.quietAt - this.length : null };
  }

  /** Appends the remembered text anew: what lies further back than that cannot matter. */
  restore({ text, counts, quietIn }: RepeatSnapshot): void {
    this.restart();
    for (let i = 0; i < text.length; ) {
      if (this.slot === this.capacity) this.makeRoom();
      i = this.appendWithin(text, i, Math.min(text.length, i + this.capacity - this.slot));
    }
    if (counts.length > 0) {
      this.counts = new Uint32Array(this.capacity);
      counts.forEach((count, i) => {
        this.counts[this.slotBefore(this.slot, counts.length - i)] = count;
      });
    }
    this.quietAt = quietIn === null ? Number.POSITIVE_INFINITY : this.length + quietIn;
  }

  /** Distances to the earlier occurrences of the latest window, nearest first. */
  get distances(): readonly number[] {
    return this.matches;
  }

  /** Follows the bucket's chain and keeps the distances at which the same window lies. */
  private match(slot: number, nearest: number): void {
    const { units, chain, capacity, reach, needed, matches: before, spare: found } = this;
    const unit = units[slot];
    found.length = 0;
    let known = 0;
    for (let distance = nearest; distance !== 0 && distance <= reach; ) {
      const earlier = slot < distance ? slot - distance + capacity : slot - distance;
      if (units[earlier] === unit) {
        while (known < before.length && (before[known] as number) < distance) known += 1;
        if (before[known] === distance || this.sameWindow(slot, earlier)) {
          found.push(distance);
          if (found.length === needed) break;
        }
      }
      const step = chain[earlier] as number;
      if (step === 0) break;
      distance += step;
    }
    this.matches = found;
    this.spare = before;
  }

  private sameWindow(a: number, b: number): boolean {
    const { units, capacity } = this;
    for (let back = 1; back < this.window; back += 1) {
      const left = a < back ? a - back + capacity : a - back;
      const right = b < back ? b - back + capacity : b - back;
      if (units[left] !== units[right]) return false;
    }
    return true;
  }

  /**
   * Occurrences of the latest window, which makes the rule hold. An earlier one at which it did not hold had fewer
   * than the threshold, so this one is exactly the threshold's; otherwise it is one more than that one.
   */
  private countAt(slot: number): number {
    if (this.counts.length === 0) this.counts = new Uint32Array(this.capacity);
    const nearest = this.matches[0] as number;
    const earlier = this.counts[slot < nearest ? slot - nearest + this.capacity : slot - nearest] as number;
    const count = earlier === 0 ? this.needed + 1 : earlier + 1;
    this.counts[slot] = count;
    return count;
  }

  /** The ring is at its end: it starts over, or grows while the text is shorter than the reach. */
  private makeRoom(): void {
    if (this.capacity === this.fullCapacity) {
      this.slot = 0;
      return;
    }
    const text = this.tail(this.length);
    const { counts, matches, quietAt } = this;
    this.capacity = Math.min(this.fullCapacity, Math.max(MIN_CAPACITY, this.capacity * 2));
    this.units = new Uint16Array(this.capacity);
    this.chain = new Uint16Array(this.capacity);
    this.heads = new Uint32Array(1 << (30 - Math.clz32(this.capacity)));
    this.length = 0;
    this.slot = 0;
    this.position = this.reach + 1;
    this.hash = 0;
    this.matches = [];
    this.quietAt = Number.POSITIVE_INFINITY;
    for (let i = 0; i < text.length; ) i = this.appendWithin(text, i, text.length);
    this.matches = matches;
    this.quietAt = quietAt;
    if (counts.length > 0) {
      this.counts = new Uint32Array(this.capacity);
      this.counts.set(counts);
    }
  }

  private slotBefore(slot: number, back: number): number {
    return slot < back ? slot - back + this.capacity : slot - back;
  }

  private countBefore(back: number): number {
    return this.counts[this.slotBefore(this.slot, back)] as number;
  }
}

export interface RepeatSnapshot {
  readonly text: string;
  readonly counts: readonly number[];
  /** Units until a loop is over if nothing repeats; null when none is open. */
  readonly quietIn: number | null;
}
