import { HashTable, type HashTableSnapshot } from '../lib/hash-table.ts';

/** Digits that are taken for a counter, at most: a number of so many is a whole one of 32 bits. */
const COUNTER_DIGITS = 9;
const SEPARATORS = '-_#:/.';
const ZERO = 0x30;

/**
 * The ids of a session's events, so that one delivered twice counts once, and so does a history that was copied into a
 * resumed session. Ids are kept as 53-bit hashes: a new id is taken for one of n known ones with a chance of n in 9 × 10^15.
 * Ids that count up take a bit each: those that differ in their counter alone share the hash of what is before it.
 */
export class KnownIds {
  private readonly plain = new HashTable(1);
  private readonly counted = new HashTable(2);
  /** How often the session has restarted. */
  private restarts = 0;

  /**
   * Notes the id of the session's next event.
   *
   * @param restarts whether the session restarts with this event, if it is new
   * @returns false when the id is known: a duplicate
   */
  add(id: string, restarts = false): boolean {
    const from = counterFrom(id);
    if (from === id.length) return this.plain.add(hashOf(id, from, 0), 1);
    const counter = Number(id.slice(from));
    const isIndex = from === 1 && id.startsWith('#');
    const seed = isIndex ? Math.imul(this.restarts + Number(restarts), 0x9e3779b1) : 0;
    // The last five bits of the counter say which of the 32 ids of a hash it is.
    return this.counted.add(hashOf(id, from, (counter >>> 5) + seed), 1 << (counter & 31));
  }

  /** The session restarts: ids stay known, but for those of the form `#<index>`, because indexes begin at 0 again. */
  restart(): void {
    this.restarts += 1;
  }

  snapshot(): KnownIdsSnapshot {
    return { plain: this.plain.snapshot(), counted: this.counted.snapshot(), restarts: this.restarts };
  }

  restore({ plain, counted, restarts }: KnownIdsSnapshot): void {
    this.plain.restore(plain);
    this.counted.restore(counted);
    this.restarts = restarts;
  }
}

export interface KnownIdsSnapshot {
  readonly plain: HashTableSnapshot;
  readonly counted: HashTableSnapshot;
  readonly restarts: number;
}

/**
 * Where the id's counter begins: decimal digits behind a separator, without leading zeros; its end where it has none. Random
 * ids end in digits too, but behind a letter as a rule.
 */
function counterFrom(id: string): number {
  const { length } = id;
  let from = length;
  while (isDigit(id.charCodeAt(from - 1))) from -= 1;
  if (from > 0 && !SEPARATORS.includes(id.charAt(from - 1))) return length;
  while (from < length - 1 && id.charCodeAt(from) === ZERO) from += 1;
  return length - from > COUNTER_DIGITS ? length : from;
}

function isDigit(unit: number): boolean {
  return unit >= ZERO && unit <= ZERO + 9;
}

/** Of the id's first `end` units and a number of 32 bits. */
function hashOf(id: string, end: number, more: number): number {
  let low = 0x811c9dc5;
  let high = end;
  // Two units a step, because each step waits for the one before; the number is the last of them.
  for (let i = 0; i < end + 2; i += 2) {
    const pair = i >= end ? more : id.charCodeAt(i) | (i + 1 < end ? id.charCodeAt(i + 1) << 16 : 0);
    low = Math.imul(low ^ pair, 0x01000193);
    high = Math.imul(high + pair, 0x5bd1e995) ^ (low >>> 13);
  }
  low = Math.imul(low ^ (low >>> 16), 0x2c1b3c6d);
  low ^= low >>> 15;
  return (high >>> 11) * 2 ** 32 + (low >>> 0);
}
