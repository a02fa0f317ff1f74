import type { EvidenceCall, Incident } from '@loopwatch/contract';

/** What one model response asked for: a call, or several at once. */
export interface LoopStep {
  /** Which step of the loop, from 1. */
  readonly ordinal: number;
  readonly calls: readonly EvidenceCall[];
}

/** One step on the line. */
export interface Dot {
  readonly ordinal: number;
  /** Present where the evidence kept the step. */
  readonly step: LoopStep | undefined;
  /** Whether it came at or after the one that was noticed. */
  readonly noticed: boolean;
}

export interface CallsLine {
  readonly dots: readonly Dot[];
  /** Steps that are left out between the first dots and the others. */
  readonly skippedAfter: number | undefined;
  readonly skipped: number;
  /** The step at which the loop was noticed, from 1. */
  readonly noticedAt: number;
}

export type LineData = Pick<Incident, 'count' | 'threshold' | 'verdicts'>;

/**
 * The calls by steps. Evidence that does not number its calls has the first and the latest of them, each a step by itself.
 *
 * @param count steps of the loop
 */
export function stepsOf(calls: readonly EvidenceCall[], count: number): LoopStep[] {
  const latest = Math.max(count, calls.length) - calls.length + 1;
  const steps = new Map<number, EvidenceCall[]>();
  calls.forEach((call, index) => {
    const ordinal = call.step ?? (index === 0 ? 1 : latest + index);
    steps.set(ordinal, [...(steps.get(ordinal) ?? []), call]);
  });
  return [...steps].map(([ordinal, made]) => ({ ordinal, calls: made }));
}

/** How many steps the loop has: those that are counted, or more where the evidence has them. */
export function totalOf(steps: readonly LoopStep[], count: number): number {
  return Math.max(count, steps.at(-1)?.ordinal ?? 0);
}

/**
 * Lays the loop's steps on a line. The evidence keeps the first and the latest; how many lie between them is
 * known from the count, so they are drawn too, as steps that nothing more is known of.
 *
 * @param maxDots dots that fit; of more steps the beginning and the end are drawn
 */
export function callsLine(
  steps: readonly LoopStep[],
  { count, threshold, verdicts }: LineData,
  maxDots: number,
): CallsLine {
  const total = totalOf(steps, count);
  const noticedAt = Math.min(total, verdicts[0]?.phase === 'opened' ? verdicts[0].count : threshold);
  const dot = (ordinal: number): Dot => ({
    ordinal,
    step: steps.find((step) => step.ordinal === ordinal),
    noticed: ordinal >= noticedAt,
  });
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

/** The same call of two steps: that with the same arguments, or else that in the same place. */
export function pairs(first: LoopStep, latest: LoopStep): (readonly [EvidenceCall, EvidenceCall])[] {
  const left = [...latest.calls];
  const same = (a: EvidenceCall, b: EvidenceCall) => a.name === b.name && a.arguments === b.arguments;
  return first.calls.flatMap((call, index) => {
    const found = left.findIndex((other) => same(call, other));
    const other = found === -1 ? latest.calls[index] : left.splice(found, 1)[0];
    return other === undefined ? [] : [[call, other] as const];
  });
}
