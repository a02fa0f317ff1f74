import type { TextEvidence } from './read.ts';

/** A piece of an excerpt; `repetition` numbers the repetitions from 0 and is undefined outside of them. */
export interface Span {
  readonly text: string;
  /** Offset in the session's text. */
  readonly from: number;
  readonly repetition: number | undefined;
}

/** Cuts the excerpt where repetitions begin and end. Those outside of it are counted but not shown. */
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
  ends.forEach((end, repetition) => {
    push(clamp(end - repeated.length - from, text.length), undefined);
    push(clamp(end - from, text.length), repetition);
  });
  push(text.length, undefined);
  return spans;
}

function clamp(value: number, max: number): number {
  return Math.max(0, Math.min(value, max));
}
