import { REJECTS_ANSWER } from '../../calls/rejections.ts';
import { commonEnds } from '../../lib/common-ends.ts';
import { jaccard } from '../../lib/similarity.ts';
import { lexResult, normalizeText } from '../../results/lex-result.ts';
import { numbersMoveOn } from '../../results/sameness.ts';

/** Two rejections are one if they begin and end alike for this share of the shorter one, or have these words in common. */
const COMMON_SHARE = 0.5;
const COMMON_WORDS = 0.4;
/** A shorter line of a prompt may occur in an answer by chance. */
const QUOTED_UNITS = 20;
/** What counts the prompts themselves, in whatever direction. */
const TRIES =
  /\b(?:(?:attempt|tr(?:y|ie)|retr(?:y|ie)|step|turn|round|iteration|check|chance|versuch|essai|tentativ[ae]|intento|próba)s?(?: left| remaining)?|(?:budget|token|credit|message|call|request|second)s? (?:left|remaining))\W{1,3}\d+(?:(?: (?:of|von|sur|de|di|z) |\/)\d+)?|\b\d{1,9}(?: more| remaining)? (?:attempt|tr(?:y|ie)|retr(?:y|ie)|step|turn|round|iteration|chance)/gi;
/** The numbers of a prompt that are compared. */
const MAX_NUMBERS = 8;

/** The length of a prompt, and its numbers. */
export function sizesOf(prompt: string): string {
  return `${String(prompt.length)} ${numbersIn(prompt)}`;
}

/** The numbers in a prompt, except those that count prompts. */
export function numbersIn(prompt: string): string {
  const text = normalizeText(prompt).replace(TRIES, '');
  const numbers = text.match(/(?<![\w.-])\d+(?:\.\d+)?(?![\w-])/g) ?? [];
  return numbers.slice(0, MAX_NUMBERS).join(' ');
}

/** Whether prompts tell of progress: a number in them moves towards something, or a list of what is missing gets shorter. */
export function moveOn(prompts: readonly string[]): boolean {
  const rows = prompts.filter((row, i) => row !== prompts[i - 1]);
  return (
    numbersMoveOn(rows.map((row) => row.replace(/^\d+ ?/, ''))) ||
    numbersMoveOn(rows.map((row) => row.replace(/ .*/, '')))
  );
}

/** A prompt without the lines that it quotes of the answer that it rejects. */
export function withoutQuotes(prompt: string, answer = ''): string {
  const isQuote = (line: string) => line.length >= QUOTED_UNITS && answer.includes(line);
  return prompt
    .split('\n')
    .map((line) => (isQuote(line.trim()) ? '' : line))
    .join('\n');
}

/** How many words of a prompt were not said before; a letter is none. */
export function newWords(prompt: string, before: string): number {
  const known = wordsIn(before);
  return [...wordsIn(prompt)].filter((word) => word.length > 1 && !known.has(word)).length;
}

/** Whether two texts begin and end alike, or use the same words. */
export function areAlike(a: string, b: string): boolean {
  const { begin, end } = commonEnds(a, b);
  return (
    begin + end >= Math.min(a.length, b.length) * COMMON_SHARE ||
    jaccard(wordsIn(a), wordsIn(b)) >= COMMON_WORDS
  );
}

function wordsIn(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{M}]+/gu));
}

/** @param isMarked whether a harness wrote it, which may count its prompts; so does what rejects an answer */
export function promptForm(shown: string, isMarked: boolean): string {
  if (!isMarked && !REJECTS_ANSWER.test(shown)) return normalizeText(shown);
  return lexResult(shown, { isError: true }).bulk.replace(/\d+/g, '#');
}
