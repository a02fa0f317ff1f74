import { lexResult } from './lex-result.ts';
import { type NormalizedResult, SHOWN_UNITS } from './normalize-result.ts';
import { MIN_VALUES, numbersMoveOn } from './sameness.ts';

type ErrorText = Pick<NormalizedResult, 'kind' | 'shown' | 'failure'>;

const TOKEN = /[^\s"'`()[\]{}<>,;:=|]+/g;
/** Enough words, so that the tokens are not what the error says. */
const SAYS = /\p{L}{2}\P{L}+\p{L}{2}|[^\0-\u2fff]{4}/u;

function readError({ shown }: ErrorText): string {
  return lexResult(shown, { isError: true }).normal;
}

/**
 * Whether the same call failed with the same error, apart from tokens with digits: an error is not what was asked for, so
 * a token need not look as random as in an answer.
 */
export function isErrorAlike(before: ErrorText, now: ErrorText): boolean {
  if (before.kind !== 'error') return false;
  const [old, fresh] = [before, now].map((error) =>
    readError(error).replace(TOKEN, (token) => (/\d/.test(token) ? '#' : token)),
  );
  // Of a longer error, the rest must say the same.
  return (
    old === fresh &&
    SAYS.test(fresh ?? '') &&
    (now.shown.length < SHOWN_UNITS || before.failure === now.failure)
  );
}

/** Where in its input a program failed: further on each time is progress. */
const POSITION =
  /\b(?:line|row|record|entry|item|position|pos|offset|byte|char(?:acter)?|index|page|step|stage|test|case|block|chunk|cell)\b[ #:=]{0,2}(\d{1,9})/i;

/** Whether these errors, oldest first, occur further on in their input each time. */
export function positionsRise(errors: readonly string[]): boolean {
  const positions = errors.map((error) => Number(POSITION.exec(error)?.[1]));
  return (
    positions.length >= MIN_VALUES && positions.every((at, i) => i === 0 || at > (positions[i - 1] ?? at))
  );
}

/** Whether these errors of one call, oldest first, occur further on, or a number in them moves towards something. */
export function errorsMoveOn(errors: readonly ErrorText[]): boolean {
  if (positionsRise(errors.map(({ shown }) => shown))) return true;
  const rows = errors.map((error) => readError(error).match(/\d+(?:\.\d+)?/g) ?? []);
  if (rows.some(({ length }) => length === 0 || length !== rows[0]?.length)) return false;
  return numbersMoveOn(rows.map((row) => row.join(' ')));
}
