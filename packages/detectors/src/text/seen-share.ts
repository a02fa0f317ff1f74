/** Units per bucket and number of buckets: together, the examined latest units. */
const BUCKET = 125;
const BUCKETS = 12;
export const SHARE_OF = BUCKET * BUCKETS;
/** Share of these that must be in known passages for the text to say nothing new. */
const STALE = 0.8;
/** Minimum distance when counting repetitions; nearer ones count as this far apart. */
const NEAREST = 60;

/**
 * Measures how much of the last 1,500 units of a text belongs to passages that occurred before, and how often these
 * occurred. All units of a repeated window count, not only its last, so the text before a passage makes no difference.
 * New units cost no work.
 */
export class SeenShare {
  readonly #window: number;
  #state: SeenSnapshot = { ...BEGINNING };

  /** @param window units that have to be equal */
  constructor(window: number) {
    this.#window = window;
  }

  /** Notes that the window that ends at the unit `at` also occurred `distance` units before. */
  note(at: number, distance: number): void {
    const state = this.#state;
    if (at >= state.bucketEnd) this.#moveTo(at);
    const count = at === state.next ? 1 : Math.min(this.#window, at + 1 - state.next);
    state.next = at + 1;
    state.sum += count;
    const slot = state.slot;
    state.units[slot] = (state.units[slot] as number) + count;
    state.rounds[slot] = (state.rounds[slot] as number) + count / Math.max(distance, NEAREST);
  }

  /** Whether the last units up to `at`, the latest noted unit, contain little new text. */
  isStale(at: number): boolean {
    const units = SHARE_OF - this.#state.bucketEnd + at + 1;
    return at + 1 >= units && this.#state.sum >= STALE * units;
  }

  /** Repeated units since the text became stale, or within the examined units if it is not stale. */
  get seen(): number {
    return this.#state.earlierUnits + this.#state.sum;
  }

  /** Repetitions of the text within these units. */
  get times(): number {
    return this.#state.earlierRounds + sumOf(this.#state.rounds);
  }

  /** Whether all of these repeat at about this distance. */
  comesEvery(distance: number): boolean {
    const rounds = this.#state.sum / Math.max(distance, NEAREST);
    return Math.abs(rounds - sumOf(this.#state.rounds)) < rounds / 10;
  }

  /** Advances to the bucket that contains the unit `at`. */
  #moveTo(at: number): void {
    const state = this.#state;
    if (state.units.length === 0) {
      state.units = Array.from({ length: BUCKETS }, () => 0);
      state.rounds = [...state.units];
    }
    const passed = Math.ceil((at + 1 - state.bucketEnd) / BUCKET);
    state.bucketEnd += passed * BUCKET;
    for (let left = Math.min(passed, BUCKETS); left > 0; left -= 1) {
      state.slot = (state.slot + 1) % BUCKETS;
      const { slot, units, rounds } = state;
      const stale = state.sum >= STALE * SHARE_OF;
      state.earlierUnits = stale ? state.earlierUnits + (units[slot] as number) : 0;
      state.earlierRounds = stale ? state.earlierRounds + (rounds[slot] as number) : 0;
      state.sum -= units[slot] as number;
      units[slot] = 0;
      rounds[slot] = 0;
    }
  }

  restart(): void {
    if (this.#state.bucketEnd > 0) this.#state = { ...BEGINNING };
  }

  snapshot(): SeenSnapshot {
    const { units, rounds } = this.#state;
    return { ...this.#state, units: [...units], rounds: [...rounds] };
  }

  restore(snapshot: SeenSnapshot): void {
    this.#state = { ...snapshot, units: [...snapshot.units], rounds: [...snapshot.rounds] };
  }
}

function sumOf(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** What has been counted of a text, in a ring of buckets. */
export interface SeenSnapshot {
  /** By bucket: repeated units, and repetitions of the text. Empty until something repeats. */
  units: number[];
  rounds: number[];
  /** Sum of these units. */
  sum: number;
  /** The same for older buckets, summed since the text became stale. */
  earlierUnits: number;
  earlierRounds: number;
  slot: number;
  /**
   * The unit after the current bucket, and the unit after the last counted one; both count from the start of the text.
   */
  bucketEnd: number;
  next: number;
}

const BEGINNING: Readonly<SeenSnapshot> = {
  units: [],
  rounds: [],
  sum: 0,
  earlierUnits: 0,
  earlierRounds: 0,
  slot: 0,
  bucketEnd: 0,
  next: 0,
};
