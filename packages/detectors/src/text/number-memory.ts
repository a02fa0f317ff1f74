/** Remembered numbers: a repeated passage may contain this many. */
const PERIODS = 8;

export const CONSTANT = 0;
export const COUNTER = 1;
const FREE = 2;
type NumberKind = typeof CONSTANT | typeof COUNTER | typeof FREE;

/**
 * Tells a number that only counts from one that says something: among the last numbers of a text, every first, second …
 * or eighth may be those of one place in a text that repeats.
 */
export class NumberMemory {
  /** Newest first. */
  private values: number[] = [];

  /** Classifies the next number. {@link COUNTER}: it continues the two before it at its position by a fixed step. */
  take(value: number): NumberKind {
    const kind = this.kindOf(value);
    this.values.unshift(value);
    if (this.values.length > 2 * PERIODS) this.values.pop();
    return kind;
  }

  private kindOf(value: number): NumberKind {
    let kind: NumberKind = FREE;
    for (let back = 0; back < PERIODS; back += 1) {
      const before = this.values[back];
      if (before === undefined) break;
      const earlier = this.values[2 * back + 1];
      if (before === value) kind = CONSTANT;
      else if (earlier !== undefined && before - earlier === value - before) return COUNTER;
    }
    return kind;
  }

  clear(): void {
    if (this.values.length > 0) this.values = [];
  }

  snapshot(): readonly number[] {
    return [...this.values];
  }

  restore(values: readonly number[]): void {
    this.values = [...values];
  }
}
