import { quote } from '../../incident/clip-text.ts';
import { counted, type Sentence, sentence } from '../../incident/shown-calls.ts';
import type { RepetitionRule } from '../../text/repetition-kind.ts';

/** Guidance for a model whose text repeats. */
export function textGuidance(repeated: string, count: number, noun: string): string {
  return [
    `Your ${noun} repeated the same text ${String(count)} times: “${repeated.trim()}”`,
    noun === 'answer'
      ? 'Do not repeat it. Write what is missing, or end the answer.'
      : 'Do not repeat it. Decide what to do next, and do it.',
  ].join('\n');
}

/** How the occurrences relate, where a reader may wonder; to follow the distance between them. */
const TAILS: Partial<Record<RepetitionRule, string>> = {
  counter: ', with only its numbers changing',
  lines: ', in a list, table or code without anything new',
  novelty: ', and other passages repeat too',
};

/** The reason for people that a text repeats. */
export function repetitionReason(
  rule: RepetitionRule | null,
  repeated: string,
  count: number,
  distance: number,
  noun: string,
): Sentence {
  const isBlank = repeated.trim() === '';
  const what = { quoted: isBlank ? 'White space' : quote(repeated), plain: 'A passage' };
  switch (rule) {
    case 'run':
      return sentence`${what} appears ${counted(count)} times in the ${noun} without a break`;
    case 'pattern':
      return sentence`Variants of ${{ quoted: quote(repeated), plain: 'a sentence' }} appear ${counted(count)} times in the ${noun} with a few words changed`;
    default:
      return sentence`${what} appears ${counted(count)} times in the ${noun}, about every ${Math.round(distance)} characters${(rule && TAILS[rule]) ?? ''}`;
  }
}

/** The repeated part of a text, fit for quoting; its previous occurrence is `period` units before the end. */
export function repeatedText(rule: RepetitionRule | null, text: string, period: number): string {
  // A sentence of a pattern is quoted whole; other repetitions may start anywhere.
  if (rule === 'pattern') return text.slice(-period).trim();
  return (rule === 'novelty' ? commonSentence(text) : undefined) ?? readablePeriod(text, period);
}

/**
 * The sentence that takes up most of a text through repetition, ignoring numbers in it.
 *
 * @returns its last occurrence, or undefined if none occurs twice
 */
function commonSentence(text: string): string | undefined {
  const taken = new Map<string, { units: number; latest: string }>();
  // The first and the last may be cut off.
  for (const sentence of text.split(/(?<=[.!?…\n])\s+/).slice(1, -1)) {
    const form = sentence.replace(/\d+/g, '0');
    taken.set(form, { units: (taken.get(form)?.units ?? -form.length) + form.length, latest: sentence });
  }
  const [most] = [...taken.values()].toSorted((a, b) => b.units - a.units);
  return most !== undefined && most.units > 0 ? most.latest : undefined;
}

/**
 * One period of a repeating text, rotated to start at a sentence, or else at a word.
 *
 * @param text ends with the repetition; at least two periods of it
 */
function readablePeriod(text: string, period: number): string {
  const twice = text.slice(-2 * period);
  if (twice.length < 2 * period) return twice.slice(-period);
  // eslint-disable-next-line regexp/no-super-linear-move -- two periods are short
  const starts = [/[.!?\n][\s"”)]*(?=\S)/g, /(?<!\s)\s+(?=\S)/g];
  for (const pattern of starts) {
    pattern.lastIndex = 0;
    const found = pattern.exec(twice);
    const start = found === null ? Infinity : found.index + found[0].length;
    // At `period`, it starts there already.
    if (start <= period) return twice.slice(start, start + period);
  }
  return twice.slice(-period);
}
