import type { EvidenceCall, Incident } from '@loopwatch/contract';

/** The calls of one model response: one, or several in parallel. */
export interface LoopStep {
  /** Which step of the loop, from 1. */
  readonly ordinal: number;
  readonly calls: readonly EvidenceCall[];
}

/** One step on the line. */
export interface Dot {
  readonly ordinal: number;
  /** Undefined if the evidence does not include the step. */
  readonly step: LoopStep | undefined;
  /** Whether it came at or after the step at which the loop was detected. */
  readonly isDetected: boolean;
}

export interface CallsLine {
  readonly dots: readonly Dot[];
  /** Number of leading dots, after which steps are skipped; undefined if none are. */
  readonly skippedAfter: number | undefined;
  readonly skipped: number;
  /** The step at which the loop was detected, from 1. */
  readonly detectedAt: number;
}

export type LineData = Pick<Incident, 'count' | 'threshold' | 'verdicts'>;

/**
 * Groups calls by step. Evidence without step numbers has the first and the latest calls, each its own step.
 *
 * @param count number of steps in the loop
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

/** Number of steps in the loop: the count, or more if the evidence has more. */
export function totalOf(steps: readonly LoopStep[], count: number): number {
  return Math.max(count, steps.at(-1)?.ordinal ?? 0);
}

/**
 * Lays out the loop's steps on a line. The evidence has the first and the latest steps; the count says how many lie
 * between them, and those are drawn as dots without details.
 *
 * @param maxDots dots that fit; beyond that only the start and the end are drawn
 */
export function callsLine(
  steps: readonly LoopStep[],
  { count, threshold, verdicts }: LineData,
  maxDots: number,
): CallsLine {
  const total = totalOf(steps, count);
  const detectedAt = Math.min(total, verdicts[0]?.phase === 'opened' ? verdicts[0].count : threshold);
  const dot = (ordinal: number): Dot => ({
    ordinal,
    step: steps.find((step) => step.ordinal === ordinal),
    isDetected: ordinal >= detectedAt,
  });
  const ordinals = Array.from({ length: total }, (_, index) => index + 1);
  if (total <= maxDots) return { dots: ordinals.map(dot), skippedAfter: undefined, skipped: 0, detectedAt };
  const head = Math.min(detectedAt + 1, Math.ceil(maxDots * 0.7));
  const tail = Math.max(1, maxDots - head - 2);
  return {
    dots: [...ordinals.slice(0, head), ...ordinals.slice(-tail)].map(dot),
    skippedAfter: head,
    skipped: total - head - tail,
    detectedAt,
  };
}

/** Pairs the calls of two steps: by name and arguments, or else by position. */
export function pairs(first: LoopStep, latest: LoopStep): (readonly [EvidenceCall, EvidenceCall])[] {
  const left = [...latest.calls];
  const same = (a: EvidenceCall, b: EvidenceCall) => a.name === b.name && a.arguments === b.arguments;
  return first.calls.flatMap((call, index) => {
    const found = left.findIndex((other) => same(call, other));
    const other = found === -1 ? latest.calls[index] : left.splice(found, 1)[0];
    return other === undefined ? [] : [[call, other] as const];
  });
}
