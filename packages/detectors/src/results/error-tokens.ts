import type { NormalizedResult } from './normalize-result.ts';
import { MIN_VALUES, numbersMoveOn } from './sameness.ts';

type ErrorText = Pick<NormalizedResult, 'shown' | 'headNumbers'>;

/** Where in its input a program failed: further on each time is progress. */
const POSITION =
  /\b(?:line|row|record|entry|item|position|pos|offset|byte|char(?:acter)?|index|page|step|stage|test|case|block|chunk|cell)\b[ #:=]{0,2}(\d{1,9})/i;

function positionsRise(errors: readonly string[]): boolean {
  const positions = errors.map((error) => Number(POSITION.exec(error)?.[1]));
  return (
    positions.length >= MIN_VALUES && positions.every((at, i) => i === 0 || at > (positions[i - 1] ?? at))
  );
}

/** Whether these errors, oldest first, occur further on in their input each time, or a number in them moves towards something. */
export function errorsMoveOn(errors: readonly ErrorText[]): boolean {
  return (
    positionsRise(errors.map(({ shown }) => shown)) ||
    numbersMoveOn(errors.map(({ headNumbers }) => headNumbers))
  );
}
