/** How many events of a session an id stays known for. */
export const DUPLICATE_WINDOW = 64;

/**
 * The ids of a session's last 64 events, so that one delivered twice counts once. Ids are kept as 64-bit hashes: half
 * a kilobyte a session, where the strings themselves would need several, and a chance of one in 10^17 per event to
 * take a new id for an old one.
 */
export class RecentIds {
  /** Pairs of 32-bit hashes; grows to the window, then is a ring. */
  private hashes = new Int32Array(8);
  /** How many of them fall into each of 256 classes: a class without any needs no search. */
  private classes = new Uint8Array(0);
  private count = 0;

  /** Notes the id of the session's next event. @returns false when it is one of the last 64 ids: a duplicate. */
  add(id: string): boolean {
    let low = 0x811c9dc5;
    let high = id.length;
    for (let i = 0; i < id.length; i += 1) {
      const unit = id.charCodeAt(i);
      low = Math.imul(low ^ unit, 0x01000193);
      high = Math.imul(high + unit, 0x5bd1e995) ^ (low >>> 13);
    }
    low |= 0;
    if ((this.classes.length === 0 || this.classes[low & 0xff] !== 0) && this.includes(low, high))
      return false;
    this.store(low, high);
    return true;
  }

  /** Notes an event without an id of its own: it has no duplicate, but it moves the window on. */
  skip(): void {
    this.store(0, 0);
  }

  private includes(low: number, high: number): boolean {
    const { hashes } = this;
    const known = Math.min(this.count, DUPLICATE_WINDOW) * 2;
    for (let i = 0; i < known; i += 2) if (hashes[i] === low && hashes[i + 1] === high) return true;
    return false;
  }

  private store(low: number, high: number): void {
    const slot = (this.count & (DUPLICATE_WINDOW - 1)) * 2;
    if (slot === this.hashes.length) this.grow();
    const { hashes, classes } = this;
    if (classes.length > 0) {
      const leaving = (hashes[slot] as number) & 0xff;
      if (this.count >= DUPLICATE_WINDOW) classes[leaving] = (classes[leaving] as number) - 1;
      classes[low & 0xff] = (classes[low & 0xff] as number) + 1;
    }
    hashes[slot] = low;
    hashes[slot + 1] = high;
    this.count += 1;
  }

  /** Doubles the room; short searches need no classes. */
  private grow(): void {
    const { hashes } = this;
    this.hashes = new Int32Array(hashes.length * 2);
    this.hashes.set(hashes);
    if (this.hashes.length === DUPLICATE_WINDOW * 2) this.classify();
  }

  private classify(): void {
    this.classes = new Uint8Array(256);
    const known = Math.min(this.count, DUPLICATE_WINDOW) * 2;
    for (let i = 0; i < known; i += 2) {
      const kind = (this.hashes[i] as number) & 0xff;
      this.classes[kind] = (this.classes[kind] as number) + 1;
    }
  }

  snapshot(): RecentIdsSnapshot {
    return { count: this.count, hashes: [...this.hashes] };
  }

  restore(snapshot: RecentIdsSnapshot): void {
    this.count = snapshot.count;
    this.hashes = Int32Array.from(snapshot.hashes);
    if (this.hashes.length === DUPLICATE_WINDOW * 2) this.classify();
  }
}

export interface RecentIdsSnapshot {
  readonly count: number;
  readonly hashes: readonly number[];
}
