import type { Incident } from '@loopwatch/contract';
import type { Call } from './read.ts';

/** One dot on the line of calls. */
export interface Dot {
  /** Which call of the loop, from 1. */
  readonly ordinal: number;
  /** Present where the evidence kept the call. */
  readonly call: Call | undefined;
  /** Whether it came at or after the one that was noticed. */
  readonly noticed: boolean;
}

export interface CallsLine {
  readonly dots: readonly Dot[];
  /** Calls that are left out between the first dots and the others. */
  readonly skippedAfter: number | undefined;
  readonly skipped: number;
  /** The call at which the loop was noticed, from 1. */
  readonly noticedAt: number;
}

/**
 * Lays the loop's calls on a line. The evidence keeps the first and the latest calls; how many lie between them is
 * known from the count, so they are drawn too, as calls that nothing more is known of.
 *
 * @param maxDots dots that fit; of more calls the beginning and the end are drawn
 */
export function callsLine(
  calls: readonly Call[],
  { count, threshold, verdicts }: LineData,
  maxDots: number,
): CallsLine {
  const total = Math.max(count, calls.length);
  const noticedAt = verdicts[0]?.phase === 'opened' ? verdicts[0].count : threshold;
  const latest = total - calls.length + 1;
  const callAt = (ordinal: number): Call | undefined =>
    ordinal === 1 ? calls[0] : ordinal > latest ? calls[ordinal - latest] : undefined;
  const dot = (ordinal: number): Dot => ({ ordinal, call: callAt(ordinal), noticed: ordinal >= noticedAt });
  const ordinals = Array.from({ length: total }, (_, index) => index + 1);
  if (total <= maxDots) return { dots: ordinals.map(dot), skippedAfter: undefined, skipped: 0, noticedAt };
  const head = Math.min(noticedAt + 1, Math.ceil(maxDots * 0.7));
  const tail = Math.max(1, maxDots - head - 2);
  return {
    dots: [...ordinals.slice(0, head), ...ordinals.slice(-tail)].map(dot),
    skippedAfter: head,
    skipped: total - head - tail,
    noticedAt,
  };
}

export type LineData = Pick<Incident, 'count' | 'threshold' | 'verdicts'>;
