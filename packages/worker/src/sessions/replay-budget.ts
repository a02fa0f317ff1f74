/**
 * Longest replay of a partition at a takeover, ms: shorter than the time in which the group detects that a worker is
 * gone.
 */
const MAX_REPLAY_MS = 1_000;
/** Lower bound regardless of how slow records are: below it, snapshots would be written all the time. */
const MIN_REPLAY_RECORDS = 5_000;
/** Weight of the latest batch in the average. */
const LATEST_WEIGHT = 0.1;

/**
 * How many records a takeover may replay: as many as can be replayed in a second, judging by recent batches. Sessions
 * that reach back further get snapshots. Cheap records are replayed, because snapshots have to be written; costly ones
 * are not.
 */
export class ReplayBudget {
  readonly #max: number;
  /** Milliseconds a record; undefined before the first batch. */
  #cost: number | undefined;

  /** @param max upper bound, in records */
  constructor(max: number) {
    this.#max = max;
  }

  noteBatch(records: number, ms: number): void {
    if (records === 0) return;
    const cost = ms / records;
    this.#cost = this.#cost === undefined ? cost : this.#cost + (cost - this.#cost) * LATEST_WEIGHT;
  }

  get records(): number {
    const affordable = this.#cost ? Math.floor(MAX_REPLAY_MS / this.#cost) : this.#max;
    return Math.min(this.#max, Math.max(MIN_REPLAY_RECORDS, affordable));
  }
}
