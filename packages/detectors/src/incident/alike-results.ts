/* Results that are the same only in bulk, or differ, leave doubt. */
import type { Mode } from '@loopwatch/contract';
import type { ThresholdBase } from './finding.ts';

/** Such results count from this many repetitions more. */
export const MORE_IF_ALIKE = 1;

/** What a reason adds after "the same result". */
export function apartFrom(alike: boolean): string {
  return alike ? ' apart from random tokens' : '';
}

/** The mode of a finding: if results are the same only in bulk, {@link chanceFirst}. */
export function modeOf(mode: Mode, { adjustments }: ThresholdBase): Mode {
  return adjustments?.includes('alike-results') === true ? chanceFirst(mode) : mode;
}

/** Never a block at once: the model gets a chance first. */
export function chanceFirst(mode: Mode): Mode {
  return mode === 'block' ? 'chance_then_block' : mode;
}
