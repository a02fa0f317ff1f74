import type { EvidenceOf } from '@loopwatch/contract';

/** Where a text repeats, as offsets to draw. */
export interface Repetitions {
  /** One period of what repeats. */
  readonly repeated: string;
  /** Offsets in the session's text where a repetition ends, ascending. */
  readonly ends: readonly number[];
  readonly excerpt: { readonly from: number; readonly text: string } | undefined;
}

/** Evidence positions are starts of the compared window; a repetition is one period long and ends where the window ends. */
export function repetitionsOf({
  repeated = '',
  window,
  positions = [],
  excerpt,
}: Omit<EvidenceOf<'content-repeat'>, 'at'>): Repetitions {
  const length = window?.length ?? repeated.length;
  return { repeated, ends: positions.map((position) => position + length).sort((a, b) => a - b), excerpt };
}

/** A piece of an excerpt; `repetition` counts from 0 and is undefined outside of repetitions. */
export interface Span {
  readonly text: string;
  /** Offset in the session's text. */
  readonly from: number;
  readonly repetition: number | undefined;
}

/**
 * Splits the excerpt where repetitions begin and end. The evidence has the positions of the latest repetitions only, so
 * equal text right before them is marked as well. Repetitions outside the excerpt are counted but not shown.
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
  const isRepetition = (end: number) => end >= length && text.slice(end - length, end) === repeated;
  // The compared window may end in the middle of a period: shift it so that periods are shown whole.
  const last = (given.at(-1) ?? from) - from;
  let shift = 0;
  while (shift < length && !isRepetition(last - shift)) shift += 1;
  const ends = given.map((end) => end - (shift < length ? shift : 0));

  const earlier: number[] = [];
  for (let end = (ends[0] ?? from) - length - from; length > 0 && isRepetition(end); end -= length) {
    earlier.push(end + from);
  }
  return [...earlier.reverse(), ...ends];
}

function clamp(value: number, max: number): number {
  return Math.max(0, Math.min(value, max));
}
