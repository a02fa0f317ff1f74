import type { RepetitionRule } from './repetition-kind.ts';

/** When text counts as repeated. Lengths in UTF-16 code units. */
export interface TextRule {
  readonly window: number;
  readonly threshold: number;
  readonly maxDistance: number;
}

/** Told about the units at which a text repeats. */
export interface RepeatListener {
  /** The rule holds at the unit `i` of the appended text; `count` occurrences of its window. */
  onRepeat(i: number, count: number): void;
  /** The rule has not held for {@link TextRule.maxDistance} units. */
  onQuiet(i: number): void;
}

/** Finds at which units a text repeats, by one rule or another. */
export interface TextIndex {
  /** Units of tracked text since the last restart. */
  readonly length: number;
  /** What repeats, where the index tells kinds of it apart. */
  readonly rule: RepetitionRule | null;
  /** Units since the text began to repeat. */
  readonly since: number;
  /** Distances to the earlier occurrences of the latest window, nearest first, at most one less than the threshold. */
  readonly distances: readonly number[];
  /** Takes `text` from `from` up to `to`, and tells the listener what is found at which unit. */
  append(text: string, from: number, to: number, listener: RepeatListener): void;
  /** Forgets the text: tracking starts with the next unit. */
  restart(): void;
  /** A marker of a list, a heading, a table or the like ends at the next unit. @returns whether the text goes on across it */
  passesMarker(): boolean;
  /** Code, or else a divider, comes next. @returns whether it is a part of the text */
  takesIn(isCode: boolean): boolean;
  /** The last units up to the current one, at most `limit` of them. */
  tail(limit: number): string;
  snapshot(): object;
  /** Restores the state of an index of the same kind; state of another kind is ignored. */
  restore(snapshot: object): void;
}
