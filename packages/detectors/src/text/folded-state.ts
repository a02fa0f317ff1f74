import type { RepetitionRule } from './repetition-kind.ts';

/** Units of folded text after a marker or a counter that belong to it. */
export const SURROUNDINGS = 250;

/** The state of a {@link FoldedIndex} besides the text. */
export interface FoldedState {
  /** Units since the last restart, as they came and in folded form. */
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
  /** What the kind of text needs that needed most since the score left zero, and the score when it was last met. */
  heaviest: number;
  heavyScore: number;
  /** `folded` at the last of each. */
  counterAt: number;
  markerAt: number;
  fenceAt: number;
  /** Score at which the open loop was found, 0 while none is open; and the `folded` at which it is over. */
  needed: number;
  quietAt: number;
  /** Whether it was found in prose, by the share of known text. */
  stale: boolean;
  /** `folded` at which it is asked again whether this is prose, in which numbers are free; and what it was. */
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
  rule: 'text',
};
