import { differenceOf, type LoopAmounts, type LoopRate, rate } from '@loopwatch/contract/api';
import type { RateFigure } from '../page/Was.tsx';

/** Loops per 100 sessions. */
export function loopFigure(current: LoopRate): RateFigure {
  const { previous } = current;
  const estimate = ({ loops, sessions }: LoopAmounts) => rate(loops, sessions);
  return {
    now: per100(current),
    before: previous && per100(previous),
    difference: differenceOf(
      previous && estimate(previous),
      estimate(current),
      Math.min(current.sessions, previous?.sessions ?? 0),
    ),
  };
}

/** The share of what sessions cost that loops wasted, 0 to 1. */
export function wasteFigure(current: LoopRate): RateFigure {
  return { now: wasteShare(current), before: current.previous && wasteShare(current.previous) };
}

/**
 * Loops per 100 sessions, step by step. The last step is left out while it goes on, unless it is the only one with sessions: what
 * is active now may loop later, so the curve would end with a fall.
 */
export function ratesOf(
  { steps, stepMs }: Pick<LoopRate, 'steps' | 'stepMs'>,
  to: number,
): (number | null)[] {
  const rates = steps.map(per100);
  const isOver = (steps.at(-1)?.at ?? 0) + stepMs <= to;
  const earlier = rates.slice(0, -1);
  return isOver || earlier.every((value) => value === null) ? rates : [...earlier, null];
}

export function per100({ loops, sessions }: Pick<LoopAmounts, 'loops' | 'sessions'>): number | null {
  return sessions === 0 ? null : (100 * loops) / sessions;
}

/** null if unknown, as for loops that cost more than the sessions that are left of them. */
function wasteShare({ loops, wastedUsd, usd }: LoopAmounts): number | null {
  if (usd === null || usd === 0) return null;
  if (loops === 0) return 0;
  return wastedUsd === null || wastedUsd > usd ? null : wastedUsd / usd;
}
