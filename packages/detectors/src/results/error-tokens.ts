import { lexResult } from './lex-result.ts';
import { type NormalizedResult, SHOWN_UNITS } from './normalize-result.ts';
import { MIN_VALUES, numbersMoveOn } from './sameness.ts';

type ErrorText = Pick<NormalizedResult, 'kind' | 'shown' | 'failure'>;

/** Different tokens that may differ between two errors. */
const MAX_DIFFERENT = 3;
/** Tokens that must be equal, so that the others are not what the error says. */
const MIN_EQUAL = 3;
/** A shorter piece without digits is a word. */
const MIN_PIECE = 4;

const TOKEN = /[^\s"'`()[\]{}<>,;:=|]+/g;
const JOINT = /[-_./+]/;
const DIGIT = /\d/;
/** Few errors are compared, but some of them many times. */
const read = new WeakMap<ErrorText, readonly string[]>();

function tokensOf(error: ErrorText): readonly string[] {
  let tokens = read.get(error);
  if (tokens === undefined) {
    tokens = lexResult(error.shown, { isError: true }).normal.match(TOKEN) ?? [];
    read.set(error, tokens);
  }
  return tokens;
}

/**
 * Whether the same call failed with the same error, apart from a few tokens that are no words: an error is not what
 * was asked for, so a token need not look as random as in an answer.
 */
export function isErrorAlike(before: ErrorText, now: ErrorText): boolean {
  if (before.kind !== 'error') return false;
  const [old, fresh] = [tokensOf(before), tokensOf(now)];
  if (old.length !== fresh.length) return false;
  const different = new Map<string, string>();
  let equal = 0;
  for (const [i, token] of fresh.entries()) {
    const other = old[i] as string;
    if (token === other) equal += 1;
    else if (different.get(token) !== other) {
      if (different.size === MAX_DIFFERENT || !areVolatile(other, token)) return false;
      different.set(token, other);
    }
  }
  // Of a longer error, the rest must say the same.
  return equal >= MIN_EQUAL && (now.shown.length < SHOWN_UNITS || before.failure === now.failure);
}

/** Whether only pieces that contain digits, or are as long and no words of their own, differ: `migrate-x7f2k`. */
function areVolatile(one: string, two: string): boolean {
  const [before, now] = [one.split(JOINT), two.split(JOINT)];
  if (before.length !== now.length) return DIGIT.test(one) && DIGIT.test(two);
  const hasEqual = before.some((piece, i) => piece !== '' && piece === now[i]);
  return now.every((piece, i) => {
    const other = before[i] as string;
    if (piece === other || (DIGIT.test(piece) && DIGIT.test(other))) return true;
    return (
      piece.length >= MIN_PIECE && piece.length === other.length && (hasEqual || DIGIT.test(piece + other))
    );
  });
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
  const rows = errors.map(
    (error) =>
      tokensOf(error)
        .join(' ')
        .match(/\d+(?:\.\d+)?/g) ?? [],
  );
  if (rows.some(({ length }) => length === 0 || length !== rows[0]?.length)) return false;
  return numbersMoveOn(rows.map((row) => row.join(' ')));
}
