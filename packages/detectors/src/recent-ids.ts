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
  private count = 0;

  /** Notes the id of the session's next event. @returns false when it is one of the last 64 ids: a duplicate. */
  add(id: string): boolean {
    let low = 0x811c9dc5;
    let high = 0x9747b28c;
    for (let i = 0; i < id.length; i += 1) {
      const unit = id.charCodeAt(i);
      low = Math.imul(low ^ unit, 0x01000193);
      high = Math.imul(high ^ unit, 0x5bd1e995);
      high ^= high >>> 15;
    }
    high = (high ^ id.length) | 0;
    const known = Math.min(this.count, DUPLICATE_WINDOW) * 2;
    const { hashes } = this;
    for (let i = 0; i < known; i += 2) if (hashes[i] === low && hashes[i + 1] === high) return false;
    this.store(low, high);
    return true;
  }

  /** Notes an event without an id of its own: it has no duplicate, but it moves the window on. */
  skip(): void {
    this.store(0, 0);
  }

  private store(low: number, high: number): void {
    const slot = (this.count % DUPLICATE_WINDOW) * 2;
    if (slot >= this.hashes.length) {
      const grown = new Int32Array(this.hashes.length * 2);
      grown.set(this.hashes);
      this.hashes = grown;
    }
    this.hashes[slot] = low;
    this.hashes[slot + 1] = high;
    this.count += 1;
  }

  snapshot(): RecentIdsSnapshot {
    return { count: this.count, hashes: [...this.hashes] };
  }

  restore(snapshot: RecentIdsSnapshot): void {
    this.count = snapshot.count;
    this.hashes = Int32Array.from(snapshot.hashes);
  }
}

export interface RecentIdsSnapshot {
  readonly count: number;
  readonly hashes: readonly number[];
}
