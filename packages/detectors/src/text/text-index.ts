import type { RepetitionRule } from './repetition-kind.ts';

/** When text counts as repeated. Lengths in UTF-16 code units. */
export interface TextRule {
  readonly window: number;
  readonly threshold: number;
  readonly maxDistance: number;
}

/** Receives the units at which a text repeats. */
export interface RepeatListener {
  /** The rule holds at the unit `i` of the appended text, whose window has occurred `count` times. */
  onRepeat(i: number, count: number): void;
  /** The rule has not held for {@link TextRule.maxDistance} units. */
  onQuiet(i: number): void;
}

/** Finds the units at which a text repeats; each implementation has its own rule. */
export interface TextIndex {
  /** Units of tracked text since the last restart. */
  readonly length: number;
  /** What repeats; `null` if the index does not distinguish kinds of repetition. */
  readonly rule: RepetitionRule | null;
  /** Units since the text began to repeat. */
  readonly since: number;
  /**
   * Distances from a window to its earlier occurrences, nearest first, at most one less than the threshold. @param
   * after units that follow the window; 0 for the one at which {@link RepeatListener.onRepeat} is called
   */
  distances(after: number): readonly number[];
  /** Appends `text` from `from` up to `to`, and calls the listener at each unit where the text repeats. */
  append(text: string, from: number, to: number, listener: RepeatListener): void;
  /** Forgets the text: tracking starts with the next unit. */
  restart(): void;
  /**
   * The marker of a list item, heading, table row or the like, or of code, ends at the next unit. @returns whether
   * tracking continues across it
   */
  passesMarker(opensCode: boolean): boolean;
  /** Code follows, or else a divider or the end of either. @returns whether to track it */
  takesIn(isCode: boolean): boolean;
  /** The last units up to the one that `after` units follow, at most `limit` of them. */
  tail(limit: number, after: number): string;
  snapshot(): object;
  /** Restores the state of an index of the same kind; state of another kind is ignored. */
  restore(snapshot: object): void;
}
