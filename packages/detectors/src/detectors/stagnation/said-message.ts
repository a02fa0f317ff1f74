import type { Mark } from '../../calls/mark.ts';
import { fingerprint } from '../../lib/digest.ts';
import { lexResult } from '../../results/lex-result.ts';
import { bulkOf, type Comparable, isAlike } from '../../results/sameness.ts';

/** Emphasis, and units without a width: they change how a text looks. Pictures do, but before other lines they may tick off. */
const LOOKS = /[*`]{1,3}|\p{Cf}|\p{Extended_Pictographic}(?!.{0,250}\n)/gu;
/** A text without any of these has neither looks nor further forms. */
const FORMED = /[*`\u0080-\uffff]/;
/** What ends a sentence; a longer row of dots may be a bar that grows. */
const ENDS = /[.!?。]{1,6}(?!\S)/g;
const QUOTES = /[\u2018\u2019\u201C\u201D"]/g;
const DASHES = /[\u2010-\u2015]/g;
/** A word, a character of a script without spaces, or a sign. */
const WORD = /\p{Lo}|[\p{L}\p{M}\p{N}]+|[^\s.,;:!?'()、。-]/gu;
/** Of a longer message, the wording is not compared. */
const NEAR_UNITS = 1024;
/** Of a shorter one, neither: it is a label, or a move of a game. */
export const MIN_PAIRS = 2;
/** Shorter ones say at their end what they say: `You rolled three`, `You rolled four`. */
export const FEW_PAIRS = 4;
/** Pairs of words in which two wordings differ at most; each word is in two. */
const MAX_FRESH = 8;

/** A message of an agent. It is read when another follows: most are followed by a call. */
export interface SaidMessage {
  readonly mark: Mark;
  readonly agent: string;
  readonly text: string;
}

/** What is compared of a message. */
export interface ReadMessage extends Comparable {
  readonly mark: Mark;
  readonly agent: string;
  /** The pairs of words in a row, with those of the messages that this one rewords. */
  readonly pairs: readonly string[];
}

export function read(message: SaidMessage | ReadMessage): ReadMessage {
  if (!('text' in message)) return message;
  const { mark, agent, text } = message;
  const bare = FORMED.test(text) ? text.normalize('NFKC').replace(LOOKS, '').replace(DASHES, '-') : text;
  const plain = bare.replace(ENDS, '').replace(QUOTES, "'").toLowerCase();
  const lexed = lexResult(plain, { isError: false });
  return {
    mark,
    agent,
    form: fingerprint(lexed.normal),
    bulk: bulkOf(lexed, 'ok'),
    kind: 'ok',
    pairs: text.length > NEAR_UNITS ? [] : pairsOf(lexed.normal),
  };
}

/** Each pair of words in a row, as often as it occurs. */
function pairsOf(text: string): string[] {
  const counts = new Map<string, number>();
  const words = text.match(WORD) ?? [];
  return words.slice(1).map((word, i) => {
    const pair = `${words[i] ?? ''} ${word}`;
    const count = counts.get(pair) ?? 0;
    counts.set(pair, count + 1);
    return pair + '+'.repeat(count);
  });
}

/**
 * How much of a message one before it has said, from all to nothing: by the degrees in which results are the same; as an
 * `echo`, if another agent said it; in similar words that were all said before (`near`), or with new ones (`fresh`).
 */
export const DEGREES = { equal: 0, alike: 1, echo: 2, near: 3, fresh: 4, different: 5 } as const;

export function samenessOf(now: ReadMessage, before: ReadMessage): number {
  const isSameAgent = now.agent === before.agent;
  if (isAlike(before, now)) return isSameAgent ? Number(now.form !== before.form) : DEGREES.echo;
  const [pairs, known] = [now.pairs, before.pairs];
  if (!isSameAgent || Math.min(pairs.length, known.length) < MIN_PAIRS) return DEGREES.different;
  const fresh: string[] = [];
  for (const pair of pairs) {
    if (!known.includes(pair)) fresh.push(pair);
    // Most messages have little in common: the rest of their pairs need no look.
    if (fresh.length > MAX_FRESH) return DEGREES.different;
  }
  const isNear =
    (pairs.length >= FEW_PAIRS || fresh.at(-1) !== pairs.at(-1)) &&
    (pairs.length - fresh.length) * 2 >= Math.max(pairs.length, known.length) &&
    // Another number says something else.
    !fresh.some((pair) => /\p{N}/u.test(pair));
  return isNear ? DEGREES.near + Number(fresh.length > 0) : DEGREES.different;
}
