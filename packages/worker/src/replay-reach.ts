/** A takeover is to replay for so long at most, ms a partition: less than the group takes to find out that a worker is gone. */
const REPLAY_MS = 500;
/** However slow records are: below this, sessions would be kept again and again. */
const LEAST = 5_000;
/** Share of the latest batch in the average. */
const WEIGHT = 0.1;

/**
 * How many records a replay may go through: as many as can be analyzed in half a second, by what the latest ones took.
 * Cheap records are replayed rather than kept as snapshots, which have to be written; costly ones the other way round.
 */
export class ReplayReach {
  private readonly most: number;
  /** Milliseconds a record; undefined before the first batch. */
  private cost: number | undefined;

  /** @param most never more records than these */
  constructor(most: number) {
    this.most = most;
  }

  /** @param ms what so many records took */
  note(records: number, ms: number): void {
    if (records === 0) return;
    const cost = ms / records;
    this.cost = this.cost === undefined ? cost : this.cost + (cost - this.cost) * WEIGHT;
  }

  get records(): number {
    const { cost } = this;
    const affordable = cost === undefined || cost === 0 ? this.most : Math.floor(REPLAY_MS / cost);
    return Math.min(this.most, Math.max(LEAST, affordable));
  }
}
