/** How many events of a session an id stays known for. */
const DUPLICATE_WINDOW = 64;

/** A sieve of 512 bits follows the hashes: a hash whose bit is not set is not among them. */
const SIEVE = DUPLICATE_WINDOW * 2;
const SIEVE_WORDS = 16;
/** Bits of hashes that have left the window stay set until the sieve is made anew, after so many events. */
const SIEVE_LIFE = 32;

/**
 * The ids of a session's last 64 events, so that one delivered twice counts once. Ids are kept as 64-bit hashes: half
 * a kilobyte a session, where the strings themselves would need several, and a chance of one in 10^17 per event to
 * take a new id for an old one.
 */
export class RecentIds {
  /** Pairs of 32-bit hashes; grows to the window and its sieve, then is a ring. */
  private hashes = new Int32Array(8);
  private count = 0;

  /** Notes the id of the session's next event. @returns false when it is one of the last 64 ids: a duplicate. */
  add(id: string): boolean {
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
    if (this.mayInclude(low) && this.includes(low, high)) return false;
    this.store(low, high);
    return true;
  }

  /** Notes an event without an id of its own: it has no duplicate, but it moves the window on. */
  skip(): void {
    this.store(0, 0);
  }

  private mayInclude(low: number): boolean {
    const { hashes } = this;
    if (hashes.length < SIEVE) return true;
    return (((hashes[sieveWord(low)] as number) >>> (low & 31)) & 1) === 1;
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
    const { hashes } = this;
    hashes[slot] = low;
    hashes[slot + 1] = high;
    this.count += 1;
    if (hashes.length < SIEVE) return;
    if (this.count % SIEVE_LIFE === 0) this.sieve();
    else this.mark(low);
  }

  /** Doubles the room; short searches need no sieve. */
  private grow(): void {
    const { hashes } = this;
    const pairs = hashes.length * 2;
    this.hashes = new Int32Array(pairs === SIEVE ? SIEVE + SIEVE_WORDS : pairs);
    this.hashes.set(hashes);
    if (pairs === SIEVE) this.sieve();
  }

  /** Makes the sieve anew. */
  private sieve(): void {
    this.hashes.fill(0, SIEVE);
    const known = Math.min(this.count, DUPLICATE_WINDOW) * 2;
    for (let i = 0; i < known; i += 2) this.mark(this.hashes[i] as number);
  }

  private mark(low: number): void {
    const word = sieveWord(low);
    this.hashes[word] = (this.hashes[word] as number) | (1 << (low & 31));
  }

  snapshot(): RecentIdsSnapshot {
    return { count: this.count, hashes: [...this.hashes.subarray(0, SIEVE)] };
  }

  restore(snapshot: RecentIdsSnapshot): void {
    this.count = snapshot.count;
    const { length } = snapshot.hashes;
    this.hashes = new Int32Array(length < SIEVE ? length : SIEVE + SIEVE_WORDS);
    this.hashes.set(snapshot.hashes);
    if (length >= SIEVE) this.sieve();
  }
}

function sieveWord(low: number): number {
  return SIEVE + ((low >>> 5) & (SIEVE_WORDS - 1));
}

export interface RecentIdsSnapshot {
  readonly count: number;
  readonly hashes: readonly number[];
}
