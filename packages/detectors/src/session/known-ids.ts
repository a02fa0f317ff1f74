import { HashTable, type HashTableSnapshot } from '../lib/hash-table.ts';
import { IdSequence } from './id-sequence.ts';

/** Maximum digits of a counter: a number of this many digits fits in 32 bits. */
const COUNTER_DIGITS = 9;
const SEPARATORS = '-_#:/.';
const ZERO = 0x30;

/**
 * The ids of a session's events, so that an event delivered twice counts once, as does a history copied into a
 * resumed session. Ids are stored as 53-bit hashes: the chance that a new id collides with one of n known ones is n
 * in 9 × 10^15. Ids that differ only in their counter share the hash of their prefix: those with the first prefix are
 * stored as ranges while they count up, and others take one bit each.
 */
export class KnownIds {
  readonly #plain = new HashTable(1);
  readonly #counted = new HashTable(2);
  readonly #sequence = new IdSequence();
  /** Everything before the counter in the ids of the sequence. */
  #sequencePrefix: string | undefined;
  /** Number of restarts of the session. */
  #restarts = 0;

  /**
   * Records the id of the session's next event.
   *
   * @param restarts whether the session restarts with this event, if it is new
   * @returns false if the id is known: a duplicate
   */
  add(id: string, restarts = false): boolean {
    const from = counterFrom(id);
    if (from === id.length) return this.#plain.add(hashOf(id, from, 0), 1);
    let counter = 0;
    for (let i = from; i < id.length; i += 1) counter = counter * 10 + id.charCodeAt(i) - ZERO;
    const isIndex = from === 1 && id.startsWith('#');
    const seed = isIndex ? Math.imul(this.#restarts + Number(restarts), 0x9e3779b1) : 0;
    const prefix = id.slice(0, from);
    this.#sequencePrefix ??= prefix;
    // Faster than `startsWith`, which compares unit by unit.
    if (seed === 0 && prefix === this.#sequencePrefix) {
      if (this.#sequence.append(counter)) return true;
      if (this.#sequence.has(counter)) return false;
    }
    // The lowest five bits of the counter select one of the 32 ids per hash.
    return this.#counted.add(hashOf(id, from, (counter >>> 5) + seed), 1 << (counter & 31));
  }

  /**
   * Call when the session restarts: ids stay known, except those of the form `#<index>`, because indexes start at 0
   * again.
   */
  restart(): void {
    this.#restarts += 1;
  }

  snapshot(): KnownIdsSnapshot {
    return {
      plain: this.#plain.snapshot(),
      counted: this.#counted.snapshot(),
      sequence: this.#sequence.snapshot(),
      sequencePrefix: this.#sequencePrefix,
      restarts: this.#restarts,
    };
  }

  restore({ plain, counted, sequence, sequencePrefix, restarts }: KnownIdsSnapshot): void {
    this.#plain.restore(plain);
    this.#counted.restore(counted);
    this.#sequence.restore(sequence);
    this.#sequencePrefix = sequencePrefix;
    this.#restarts = restarts;
  }
}

export interface KnownIdsSnapshot {
  readonly plain: HashTableSnapshot;
  readonly counted: HashTableSnapshot;
  readonly sequence: string;
  readonly sequencePrefix: string | undefined;
  readonly restarts: number;
}

/**
 * The index at which the id's counter starts: decimal digits after a separator, without leading zeros; the id's
 * length if it has none. Random ids end in digits too, but usually after a letter.
 */
function counterFrom(id: string): number {
  const { length } = id;
  let from = length;
  while (from > 0 && isDigit(id.charCodeAt(from - 1))) from -= 1;
  if (from > 0 && !SEPARATORS.includes(id.charAt(from - 1))) return length;
  while (from < length - 1 && id.charCodeAt(from) === ZERO) from += 1;
  return length - from > COUNTER_DIGITS ? length : from;
}

function isDigit(unit: number): boolean {
  return unit >= ZERO && unit <= ZERO + 9;
}

/** Hash of the id's first `end` units and a 32-bit number. */
function hashOf(id: string, end: number, more: number): number {
  let low = 0x811c9dc5;
  let high = end;
  // Two units per iteration, because each iteration depends on the previous one; the number comes last.
  for (let i = 0; i < end + 2; i += 2) {
    const pair =
      i + 1 < end ? id.charCodeAt(i) | (id.charCodeAt(i + 1) << 16) : i < end ? id.charCodeAt(i) : more;
    low = Math.imul(low ^ pair, 0x01000193);
    high = Math.imul(high + pair, 0x5bd1e995) ^ (low >>> 13);
  }
  low = Math.imul(low ^ (low >>> 16), 0x2c1b3c6d);
  low ^= low >>> 15;
  return (high >>> 11) * 2 ** 32 + (low >>> 0);
}
