import { quote } from '../../incident/shown-calls.ts';
import type { RepetitionRule } from '../../text/repetition-kind.ts';

/** Guidance for a model whose text repeats. */
export function textGuidance(repeated: string, count: number): string {
  return [
    `Your last answer repeated the same text ${String(count)} times: “${repeated.trim()}”`,
    'Stop repeating it. Say what is still missing, or end the answer if nothing is.',
  ].join('\n');
}

/** The reason for people that a text repeats. @param repeated `null`: do not quote the text */
export function repetitionReason(
  rule: RepetitionRule | null,
  repeated: string | null,
  distance: number,
  noun: string,
): string {
  const what = repeated === null ? 'A text' : repeated.trim() === '' ? 'White space' : quote(repeated);
  const every = `every ${String(distance)} characters of the ${noun}`;
  switch (rule) {
    case null:
      return `${what} repeats every ${String(distance)} characters in the ${noun}`;
    case 'counter':
      return `${what} comes ${every}, and only its numbers change`;
    case 'lines':
      return `${what} comes ${every}, in a list, a table or code without anything new`;
    case 'run':
      return `${what} fills the ${noun} without a break`;
    case 'block':
      return repeated === null ? `A passage comes ${every}` : `The passage ${what} comes ${every}`;
    case 'text':
      return `${what} comes ${every}, with little new in between`;
    case 'pattern':
      return `${what} and its like come ${every}, and only single words change`;
    case 'novelty':
      return `${what} and other passages of the ${noun} come again and again, with little new in between`;
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
    const start = found === null ? period : found.index + found[0].length;
    if (start < period) return twice.slice(start, start + period);
  }
  return twice.slice(-period);
}
