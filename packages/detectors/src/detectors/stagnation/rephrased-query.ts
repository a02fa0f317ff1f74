import { errorOf, isSameError } from '../../calls/same-step.ts';
import type { CallStep, PastCall } from '../../calls/step.ts';
import type { ToolIdentity } from '../../calls/tool-identity.ts';
import { commonEnds } from '../../lib/common-ends.ts';
import { fieldsIn } from '../../lib/fields.ts';
import { jaccard } from '../../lib/similarity.ts';
import { type NormalizedResult, SHOWN_UNITS } from '../../results/normalize-result.ts';
import { withoutEcho } from '../../results/strip-echoed-args.ts';

/** A text with fewer words is a name or a key, not a phrase. */
const MIN_WORDS = 3;
/** A phrase of so many words says what is asked, whatever the others add to it. */
const TASK_WORDS = 5;
/** Shorter words are not names, nor are those listed below. */
const SMALL = 3;
const FUNCTION_WORDS = new Set(
  (
    'the and for how who why when what which where whose that this these those there from with into onto about does have were been being ' +
    'will would could should please tell find show give list search look query latest exact exactly'
  ).split(' '),
);
/** Two words are forms of one word if they start with this share of the shorter one. */
const STEM_SHARE = 0.7;
/** Paths, numbers and identifiers are not words: changing one changes the question. */
const WORD = /^[\p{L}\p{M}'’-]+$/u;

/**
 * Whether two calls of one tool ask the same question in other words: they differ only in the words of a phrase, or in all
 * words that stand beside the same task.
 *
 * @param share minimum share of all words that the two phrases have in common
 */
export function isRephrased(a: ToolIdentity, b: ToolIdentity, share: number): boolean {
  if (a.digest !== undefined || b.digest !== undefined) return false;
  const [one, two] = [fieldsOf(a), fieldsOf(b)];
  if (one.size !== two.size) return false;
  const isSame = ([name, value]: [string, string]) => two.get(name) === value;
  const hasTask = [...one].some((field) => isSame(field) && wordsOf(field[1]).length >= TASK_WORDS);
  return [...one].every((field) => {
    const other = two.get(field[0]);
    return isSame(field) || (other !== undefined && sameQuestion(field[1], other, hasTask ? null : share));
  });
}

/** @param share null if the texts only stand beside the question */
function sameQuestion(a: string, b: string, share: number | null): boolean {
  const [one, two] = [wordsOf(a), wordsOf(b)];
  const [first, second] = [new Set(one), new Set(two)];
  if (Math.min(first.size, second.size) < MIN_WORDS) return false;
  const different = [...first, ...second].filter((word) => !(first.has(word) && second.has(word)));
  if (!different.every((word) => WORD.test(word))) return false;
  if (share === null) return true;
  return jaccard(first, second) >= share && !isOtherTopic(one, two);
}

/** Whether the two sentences differ only in what they name: `trains to Oslo`, `trains to Bergen`. */
function isOtherTopic(one: readonly string[], two: readonly string[]): boolean {
  const { begin, end } = commonEnds(one, two);
  const [there, here] = [topicIn(one, begin, end), topicIn(two, begin, end)];
  const akin = there.some((word) => here.some((other) => haveSameStem(word, other)));
  return there.length > 0 && here.length > 0 && !akin;
}

/** The naming words between the common beginning and the common end of both sentences. */
function topicIn(words: readonly string[], begin: number, end: number): string[] {
  return words
    .slice(begin, words.length - end)
    .filter((word) => word.length >= SMALL && !FUNCTION_WORDS.has(word));
}

/** `closed` and `closing`, `line` and `lines`. */
function haveSameStem(a: string, b: string): boolean {
  return commonEnds(a, b).begin >= Math.max(SMALL, Math.min(a.length, b.length) * STEM_SHARE);
}

/** `Trams,` and `trams` are one word. */
function wordsOf(text: string): string[] {
  const words = text.toLowerCase().split(/[\s,;:!?()"“”]+/);
  return words.map((word) => word.replace(/\.$/, '')).filter((word) => word !== '');
}

/** The arguments by name; values other than strings as JSON, so that they share no words with any text. */
function fieldsOf({ arguments: canonical }: ToolIdentity): Map<string, string> {
  const fields = fieldsIn(canonical);
  if (fields === null) return new Map([['', canonical]]);
  return new Map(
    Object.entries(fields).map(([name, field]) => [name, typeof field === 'string' ? field : jsonOf(field)]),
  );
}

function jsonOf(value: unknown): string {
  return `\u0000${JSON.stringify(value)}`;
}

/**
 * Argument names for the position at which to continue reading. Times are not included: they ask for what is new
 * since then.
 */
const PLACES = new Set(
  (
    'page pagenumber pageno pageindex offset lineoffset skip start startline startindex linestart fromline ' +
    'end endline endindex lineend toline viewrange linerange limit maxresults pagesize perpage'
  ).split(' '),
);
/** A number or the two ends of a range, as JSON or as text. */
const NUMBERS = /^\0?\[?\d+(?:, ?\d+)?\]?$/;

/** Whether two calls differ only in the position at which they continue reading the same thing. */
export function turnsPages(a: ToolIdentity, b: ToolIdentity): boolean {
  if (a.digest !== undefined || b.digest !== undefined) return false;
  const [one, two] = [fieldsOf(a), fieldsOf(b)];
  if (one.size !== two.size) return false;
  let turned = false;
  for (const [name, value] of one) {
    const other = two.get(name);
    if (other === value) continue;
    if (other === undefined || !isPlace(name) || !NUMBERS.test(value) || !NUMBERS.test(other)) return false;
    turned = true;
  }
  return turned;
}

/** How an answer tells that a position is past the end; or a list, as of a tool that ignores the position. */
const PAST_END = /\[[\]{"]|\b(?:beyond|past|shorter|exceed|out of|exist|empty|no (?:more|results))/i;

/** Whether two answers about a position past the end, neither of them cut off, differ only in what they echo. */
function echoesPlace(a: PastCall, b: PastCall): boolean {
  const said = `[${a.identity.arguments},${b.identity.arguments}]`;
  const [one, two] = [a, b].map(({ result }) => {
    const shown = result?.shown ?? '';
    if (shown.length >= SHOWN_UNITS || !PAST_END.test(shown)) return null;
    return withoutEcho(shown.replace(/[^\w\s]/g, ' '), { name: '', said });
  });
  return one !== null && one === two && turnsPages(a.identity, b.identity);
}

function isPlace(name: string): boolean {
  return PLACES.has(name.replace(/[_-]/g, '').toLowerCase());
}

/** Minimum share of common words in two wordings of one question; higher for empty results, which prove little. */
const COMMON_SHARE = 0.25;
const EMPTY_SHARE = 0.4;

/**
 * Whether the same tool already failed with this error, or gave this answer to a rephrased question.
 *
 * @param error the error of the settled step, if it has one
 */
export function isKnownResult(before: CallStep, settled: CallStep, error: NormalizedResult | null): boolean {
  if (error === null) return haveSameAnswer(before, settled);
  const [first] = before.calls;
  const [second] = settled.calls;
  return first?.identity.name === second?.identity.name && isSameError(errorOf(before), error);
}

/** What a tool says if it could not do its task. Any other outcome may well be that of several tasks. */
const UNABLE = /\b(?:unable|denied|could ?n[o'’]t|cannot|can['’]t)\b(?! find)/i;

/**
 * Whether both steps are a single call of the same tool that rephrases the question or asks for another page, with
 * the same answer.
 *
 * @param expected the pattern already held before, so that fewer common words suffice
 */
export function haveSameAnswer(before: CallStep, settled: CallStep, expected = false): boolean {
  if (before.calls.length !== 1 || settled.calls.length !== 1) return false;
  const [first] = before.calls;
  const [second] = settled.calls;
  if (!first?.result || !second?.result) return false;
  const { empty, trivial, gist, kind, failure, shown } = second.result;
  if (first.identity.name !== second.identity.name || first.result.kind !== kind) return false;
  const { asks } = second.nature;
  if (kind === 'ok' && asks && echoesPlace(first, second)) return true;
  return (
    (kind === 'error' ? failure !== null : (empty || !trivial) && (asks || UNABLE.test(shown))) &&
    first.result.gist === gist &&
    (turnsPages(first.identity, second.identity) ||
      isRephrased(first.identity, second.identity, empty && !expected ? EMPTY_SHARE : COMMON_SHARE))
  );
}
