import type { Repetitions } from './repetitions.ts';

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
export function highlight({ excerpt, ends, repeated }: Repetitions): Span[] {
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
  { from, text }: NonNullable<Repetitions['excerpt']>,
  given: readonly number[],
  repeated: string,
): number[] {
  const length = repeated.length;
  const is = (end: number) => end >= length && text.slice(end - length, end) === repeated;
  // The compared window may end in the middle of what repeats: a period is shown from its beginning.
  const last = (given.at(-1) ?? from) - from;
  let shift = 0;
  while (shift < length && !is(last - shift)) shift += 1;
  const ends = given.map((end) => end - (shift < length ? shift : 0));

  const earlier: number[] = [];
  for (let end = (ends[0] ?? from) - length - from; length > 0 && is(end); end -= length) {
    earlier.push(end + from);
  }
  return [...earlier.reverse(), ...ends];
}

function clamp(value: number, max: number): number {
  return Math.max(0, Math.min(value, max));
}
