/** Remembered numbers: a repeated passage may contain this many. */
const PERIODS = 8;
const REMEMBERED = 2 * PERIODS;

export const CONSTANT = 0;
export const COUNTER = 1;
const FREE = 2;
type NumberKind = typeof CONSTANT | typeof COUNTER | typeof FREE;

/**
 * Distinguishes counters from numbers that carry information. A repeated passage may contain up to eight numbers, so
 * each number is compared with those one to eight before it.
 */
export class NumberMemory {
  /** A ring of the latest numbers, and the slot of the next. */
  private values: number[] = [];
  private slot = 0;

  /** Classifies the next number. {@link COUNTER}: it continues the two before it at its position by a fixed step. */
  take(value: number): NumberKind {
    const kind = this.kindOf(value);
    this.values[this.slot] = value;
    this.slot = (this.slot + 1) % REMEMBERED;
    return kind;
  }

  private kindOf(value: number): NumberKind {
    const known = Math.min(PERIODS, this.values.length);
    let kind: NumberKind = FREE;
    for (let period = 1; period <= known; period += 1) {
      const before = this.at(period) as number;
      if (before === value) kind = CONSTANT;
      else {
        const earlier = this.at(2 * period);
        if (earlier !== undefined && before - earlier === value - before) return COUNTER;
      }
    }
    return kind;
  }

  /** The number this many before the next. */
  private at(back: number): number | undefined {
    return this.values[(this.slot - back + REMEMBERED) % REMEMBERED];
  }

  clear(): void {
    if (this.values.length > 0) this.values = [];
    this.slot = 0;
  }

  /** Newest first. */
  snapshot(): readonly number[] {
    return this.values.map((_, i) => this.at(i + 1) as number);
  }

  restore(values: readonly number[]): void {
    this.values = values.toReversed();
    this.slot = values.length % REMEMBERED;
  }
}
