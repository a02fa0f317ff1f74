import type { TextEvidence } from './read.ts';

/** A piece of an excerpt; `repetition` numbers the repetitions from 0 and is undefined outside of them. */
export interface Span {
  readonly text: string;
  /** Offset in the session's text. */
  readonly from: number;
  readonly repetition: number | undefined;
}

/**
 * Cuts the excerpt where repetitions begin and end. The evidence has the positions of the latest only, so equal text
 * right before them is marked as well; what lies outside of the excerpt is counted but not shown.
 */
export function highlight({ excerpt, ends, repeated }: TextEvidence): Span[] {
  if (excerpt === undefined) return [];
  const { from, text } = excerpt;
  const spans: Span[] = [];
  let done = 0;
  const push = (until: number, repetition: number | undefined) => {
    if (until <= done) return;
    spans.push({ text: text.slice(done, until), from: from + done, repetition });
    done = until;
  };
  allEnds(excerpt, ends, repeated).forEach((end, repetition) => {
    push(clamp(end - repeated.length - from, text.length), undefined);
    push(clamp(end - from, text.length), repetition);
  });
  push(text.length, undefined);
  return spans;
}

function allEnds(
  { from, text }: NonNullable<TextEvidence['excerpt']>,
  ends: readonly number[],
  repeated: string,
): number[] {
  const earlier: number[] = [];
  const length = repeated.length;
  let end = (ends[0] ?? from) - length - from;
  while (length > 0 && end >= length && end <= text.length && text.slice(end - length, end) === repeated) {
    earlier.push(end + from);
    end -= length;
  }
  return [...earlier.reverse(), ...ends];
}

function clamp(value: number, max: number): number {
  return Math.max(0, Math.min(value, max));
}
