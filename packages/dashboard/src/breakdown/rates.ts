import type { BreakdownAmounts } from '@loopwatch/contract/api';

/** Loops per 100 sessions; null without sessions. */
export function loopRate({ incidents, activity }: BreakdownAmounts): number | null {
  return activity.sessions === 0 ? null : (100 * incidents) / activity.sessions;
}

/**
 * The share of all dollars that loops used, 0 to 1; null if it is unknown. That includes a group whose loops used more
 * than its sessions: a session counts under its latest model, but may have looped with another.
 */
export function spendShare({ incidents, usd, activity }: BreakdownAmounts): number | null {
  if (activity.usd === null || activity.usd === 0) return null;
  if (incidents === 0) return 0;
  return usd === null || usd > activity.usd ? null : usd / activity.usd;
}
