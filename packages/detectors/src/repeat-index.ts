import type { TextRepeatOptions } from './plan.ts';

/** Told about the units at which a window has occurred often enough, close enough together. */
export interface RepeatListener {
  /** The rule holds at the unit `i` of the appended text; `count` occurrences of its window. */
  onRepeat(i: number, count: number): void;
  /** The rule has not held for {@link RepeatIndex.quietAfter} units. */
  onQuiet(i: number): void;
}

const HASH_BASE = 0x01000193;
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
  /** `HASH_BASE` to the power of the window: takes the unit that leaves a window out of its hash. */
  private readonly leaving: number;

  /** Ring of units, and for each the distance to the one before it in its hash bucket (0: none). */
  private units = new Uint16Array(0);
  private chain = new Uint16Array(0);
  /** By bucket: slot of the latest window, plus one (0: none). */
  private heads = new Uint16Array(0);
  private capacity = 0;
  private slot = 0;
  private newestHash = 0;
  private oldestHash = 0;
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
    this.fullCapacity = this.reach + this.window + 2;
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
    this.newestHash = 0;
    this.oldestHash = 0;
    this.heads.fill(0);
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
    for (let i = from; i < to; i += 1) {
      const slot = this.insert(text.charCodeAt(i));
      const nearest = this.length < this.window ? 0 : this.chainAt(slot);
      if (nearest !== 0 || this.matches.length > 0) this.match(slot, nearest);
      if (this.matches.length === this.needed) {
        this.quietAt = this.length + this.quietAfter;
        listener.onRepeat(i, this.countAt(slot));
        continue;
      }
      if (this.counts.length > 0) this.counts[slot] = 0;
      if (this.length >= this.quietAt) {
        this.settle();
        listener.onQuiet(i);
      }
    }
  }

  /** The last units of the tracked text, at most `limit` of them. */
  tail(limit: number): string {
    const size = Math.min(limit, this.length, this.capacity);
    let text = '';
    for (let back = size; back > 0; back -= 1)
      text += String.fromCharCode(this.unitAt(this.slotBefore(this.slot, back)));
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
    for (let i = 0; i < text.length; i += 1) {
      const slot = this.insert(text.charCodeAt(i));
      this.match(slot, this.length < this.window ? 0 : this.chainAt(slot));
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

  /** Adds a unit and the window that it completes. @returns the unit's slot */
  private insert(unit: number): number {
    if (this.slot === this.capacity) this.makeRoom();
    const { slot, units, window, capacity, length } = this;
    let hash = (Math.imul(this.newestHash, HASH_BASE) + unit) | 0;
    if (length >= window) {
      const out = slot - window;
      hash = (hash - Math.imul(units[out < 0 ? out + capacity : out] as number, this.leaving)) | 0;
    }
    units[slot] = unit;
    this.newestHash = hash;
    this.slot = slot + 1;
    this.length = length + 1;
    if (length + 1 < window) return slot;
    if (length > this.reach) this.forgetOldest(slot);
    const { heads } = this;
    const bucket = bucketOf(hash, heads.length);
    const head = heads[bucket] as number;
    const distance = slot - head + 1;
    this.chain[slot] = head === 0 ? 0 : distance > 0 ? distance : distance + capacity;
    heads[bucket] = slot + 1;
    return slot;
  }

  /** Takes the window that has just left the reach out of the table. */
  private forgetOldest(slot: number): void {
    const { units, capacity } = this;
    const end = slot - this.reach - 1;
    const oldest = end < 0 ? end + capacity : end;
    let hash = (Math.imul(this.oldestHash, HASH_BASE) + (units[oldest] as number)) | 0;
    const age = this.length - this.reach - 1;
    if (age > this.window) {
      const out = oldest - this.window;
      hash = (hash - Math.imul(units[out < 0 ? out + capacity : out] as number, this.leaving)) | 0;
    }
    this.oldestHash = hash;
    if (age < this.window) return;
    const bucket = bucketOf(hash, this.heads.length);
    if (this.heads[bucket] === oldest + 1) this.heads[bucket] = 0;
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
    const { units, counts, length } = this;
    this.capacity = Math.min(this.fullCapacity, Math.max(MIN_CAPACITY, this.capacity * 2));
    this.units = new Uint16Array(this.capacity);
    this.chain = new Uint16Array(this.capacity);
    this.heads = new Uint16Array(1 << (31 - Math.clz32(this.capacity)));
    this.length = 0;
    this.slot = 0;
    this.newestHash = 0;
    this.oldestHash = 0;
    for (let i = 0; i < length; i += 1) this.insert(units[i] as number);
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

  private unitAt(slot: number): number {
    return this.units[slot] as number;
  }

  private chainAt(slot: number): number {
    return this.chain[slot] as number;
  }
}

export interface RepeatSnapshot {
  readonly text: string;
  readonly counts: readonly number[];
  /** Units until a loop is over if nothing repeats; null when none is open. */
  readonly quietIn: number | null;
}

function bucketOf(hash: number, buckets: number): number {
  return (Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 16) & (buckets - 1);
}
