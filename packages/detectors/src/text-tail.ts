const MIN_CAPACITY = 256;

/** The last units of a text. Memory grows with the text up to what was asked for. */
export class TextTail {
  private readonly capacity: number;
  private units = new Uint16Array(0);
  /** Units of the text so far, at most the capacity. */
  private held = 0;
  private slot = 0;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  append(text: string, from: number, to: number): void {
    let { units, slot } = this;
    for (let i = Math.max(from, to - this.capacity); i < to; i += 1) {
      if (slot === units.length) {
        units = this.makeRoom();
        slot = this.slot;
      }
      units[slot] = text.charCodeAt(i);
      slot += 1;
      this.slot = slot;
    }
    this.held = Math.min(this.capacity, this.held + to - from);
  }

  /** The last units, at most `limit`, without the last `skipped` of all. */
  text(limit: number, skipped = 0): string {
    const { units, slot } = this;
    let text = '';
    for (let back = Math.min(limit + skipped, this.held); back > skipped; back -= 1)
      text += String.fromCharCode(units[slot < back ? slot - back + units.length : slot - back] as number);
    return text;
  }

  /**
   * Distances from the last `length` units to where they occurred before, nearest first, no farther than `reach` and at
   * most as many as asked for. The last `skipped` of all units are left out.
   */
  occurrences(length: number, reach: number, most: number, skipped: number): number[] {
    const { units, slot } = this;
    const last = slot - 1 - skipped;
    const at = (back: number): number =>
      units[last < back ? last - back + units.length : last - back] as number;
    const distances: number[] = [];
    const farthest = Math.min(reach, this.held - skipped - length);
    for (let distance = 1; distance <= farthest && distances.length < most; distance += 1) {
      let same = 0;
      while (same < length && at(distance + same) === at(same)) same += 1;
      if (same === length) distances.push(distance);
    }
    return distances;
  }

  clear(): void {
    this.held = 0;
    this.slot = 0;
  }

  /** The ring is at its end: it starts over, or grows while the text is shorter than what is kept. */
  private makeRoom(): Uint16Array<ArrayBuffer> {
    const { units, capacity } = this;
    if (units.length === capacity) this.slot = 0;
    else {
      this.units = new Uint16Array(Math.min(capacity, Math.max(MIN_CAPACITY, units.length * 2)));
      this.units.set(units);
    }
    return this.units;
  }
}
