import type { RepetitionRule } from './repetition-kind.ts';

/** Units of folded text after a marker or a counter that still count as near it. */
export const SURROUNDINGS = 250;

/** The state of a {@link FoldedIndex}, excluding the text. */
export interface FoldedState {
  /** Units since the last restart: of the original text, and of the folded text. */
  length: number;
  folded: number;
  score: number;
  /** Repetitions of the text since the score left zero, and repeated units since then. */
  rounds: number;
  repeated: number;
  /** Units of the current run of one short period. */
  run: number;
  /** `length` at which the score left zero. */
  start: number;
  looks: number;
  /**
   * The highest score that any kind of text required since the score left zero, and the score when that kind last
   * occurred.
   */
  heaviest: number;
  heavyScore: number;
  /** `folded` at the latest counter, marker and code fence. */
  counterAt: number;
  markerAt: number;
  fenceAt: number;
  /**
   * Score at which the open loop was found, or 0 if none is open; and the `folded` at which the loop ends if nothing
   * repeats.
   */
  needed: number;
  quietAt: number;
  /** Whether the loop was found in prose, by its share of known text. */
  stale: boolean;
  /** New units since code was last opened, and how many drafts of one code in a row there were. */
  fresh: number;
  drafts: number;
  /**
   * `folded` at which to check again whether the text is prose, where numbers cost nothing; and the result of the
   * latest check.
   */
  numbersAt: number;
  numbersFree: boolean;
  rule: RepetitionRule;
}

/** State before any text. */
export const BEGINNING: Readonly<FoldedState> = {
  length: 0,
  folded: 0,
  score: 0,
  rounds: 0,
  repeated: 0,
  run: 0,
  start: 0,
  looks: 0,
  heaviest: 0,
  heavyScore: 0,
  counterAt: -SURROUNDINGS,
  markerAt: -SURROUNDINGS,
  fenceAt: -SURROUNDINGS,
  needed: 0,
  quietAt: 0,
  stale: false,
  numbersAt: 0,
  numbersFree: false,
  fresh: 0,
  drafts: 0,
  rule: 'text',
};
