/** How many events of a session an id stays known for. */
const DUPLICATE_WINDOW = 64;
const FEWEST = 8;
/** Stands for an event without an id. */
const NO_ID = -1;

/**
 * The ids of a session's last 64 events, so that one delivered twice counts once. Ids are kept as 53-bit hashes: half
 * a kilobyte a session, where the strings themselves would need several, and a chance of one in 10^14 per event to
 * take a new id for an old one.
 */
export class RecentIds {
  /**
   * Grows to the window, then is a ring. An array of numbers, because an array of bytes costs 200 bytes more: its buffer
   * is an object of its own, outside the heap.
   */
  private hashes: number[] = [];
  private count = 0;

  /** Notes the id of the session's next event. @returns false when it is one of the last 64 ids: a duplicate. */
  add(id: string): boolean {
    const hash = hashOf(id);
    if (this.hashes.includes(hash)) return false;
    this.store(hash);
    return true;
  }

  /** Notes an event without an id of its own: it has no duplicate, but it moves the window on. */
  skip(): void {
    this.store(NO_ID);
  }

  private store(hash: number): void {
    const slot = this.count % DUPLICATE_WINDOW;
    if (slot >= this.hashes.length) this.hashes = withRoom(this.hashes);
    this.hashes[slot] = hash;
    this.count += 1;
  }

  snapshot(): RecentIdsSnapshot {
    const { count } = this;
    return { count, hashes: this.hashes.slice(0, Math.min(count, DUPLICATE_WINDOW)) };
  }

  restore({ count, hashes }: RecentIdsSnapshot): void {
    this.count = count;
    this.hashes = withRoom(hashes);
  }
}

/** With room for twice as many, but no more than the window: an array that grows by itself takes more than it needs. */
function withRoom(hashes: readonly number[]): number[] {
  const room = Math.min(Math.max(hashes.length * 2, FEWEST), DUPLICATE_WINDOW);
  const roomy = new Array<number>(room).fill(NO_ID);
  hashes.forEach((hash, i) => {
    roomy[i] = hash;
  });
  return roomy;
}

function hashOf(id: string): number {
  const { length } = id;
  let low = 0x811c9dc5;
  let high = length;
  // Two units a step, because each step waits for the one before.
  for (let i = 0; i < length; i += 2) {
    const pair = id.charCodeAt(i) | (i + 1 < length ? id.charCodeAt(i + 1) << 16 : 0);
    low = Math.imul(low ^ pair, 0x01000193);
    high = Math.imul(high + pair, 0x5bd1e995) ^ (low >>> 13);
  }
  low = Math.imul(low ^ (low >>> 16), 0x2c1b3c6d);
  low ^= low >>> 15;
  return (high >>> 11) * 2 ** 32 + (low >>> 0);
}

export interface RecentIdsSnapshot {
  readonly count: number;
  /** In the order of the ring. */
  readonly hashes: readonly number[];
}
