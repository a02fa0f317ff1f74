import { type PatternProgram, parsePattern } from '@loopwatch/contract';
import { cutBeginnings, type Span, searchPattern } from './search-pattern.ts';

/** Of a text, for all patterns together; beyond, what is left of it is masked as a whole. */
const STEPS_PER_UNIT = 500;
const STEPS_AT_LEAST = 100_000;

/** Regular expressions whose matches are masked. */
export type MaskPatterns = readonly PatternProgram[];

export const noMaskPatterns: MaskPatterns = [];

/** @throws Error that says what is wrong with one of them; settings with such a pattern are refused before */
export function maskPatterns(patterns: readonly string[]): MaskPatterns {
  return patterns.map((pattern) => {
    const parsed = parsePattern(pattern);
    if (!parsed.ok) throw new Error(`The pattern ${JSON.stringify(pattern)} ${parsed.why}`);
    return parsed.program;
  });
}

/**
 * Puts a mask in place of what any of the patterns matches; matches that overlap, or follow each other, get one.
 *
 * @param seen told of each match; where it is given, the text may have been cut, and a match that the cut may have left
 *   unfinished is masked too
 */
export function maskMatches(
  text: string,
  patterns: MaskPatterns,
  mask: string,
  seen?: (secret: string) => void,
): string {
  if (patterns.length === 0 || text === '') return text;
  let steps = STEPS_AT_LEAST + STEPS_PER_UNIT * text.length;
  const spans: Span[] = [];
  for (const pattern of patterns) {
    const found = searchPattern(pattern, text, steps);
    steps -= found.steps;
    const rests = seen === undefined ? [] : [...found.unfinished, ...cutBeginnings(pattern, text)];
    for (const span of [...found.spans, ...rests]) {
      spans.push(span);
      seen?.(text.slice(...span));
    }
    // Better too little is shown than a secret.
    if (!found.isWhole) spans.push([found.spans.at(-1)?.[1] ?? 0, text.length]);
    if (!found.isWhole) break;
  }
  return withMask(text, spans, mask);
}

function withMask(text: string, spans: Span[], mask: string): string {
  const pieces: string[] = [];
  let end = 0;
  let isMasked = false;
  for (const [from, to] of spans.sort(([a], [b]) => a - b)) {
    if (from > end || !isMasked) {
      pieces.push(text.slice(end, from), mask);
      isMasked = true;
    }
    end = Math.max(end, to);
  }
  return [...pieces, text.slice(end)].join('');
}
