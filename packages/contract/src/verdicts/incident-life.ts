import type { Verdict, VerdictAction } from './verdict.ts';

/**
 * The life of an incident as its verdicts tell it, in one place for all who follow it: worker, gateway, server and pages.
 * Whether an open one is quiet by now follows from the clock, see `activity.ts`.
 */

/** Whether the incident is open after this verdict. */
export function isOpenAfter({ phase }: Pick<Verdict, 'phase'>): boolean {
  return phase !== 'resolved';
}

const actionRank: Readonly<Record<VerdictAction, number>> = { none: 0, warn: 1, chance: 2, block: 3 };

/** The stronger of two actions; an incident has the strongest of its verdicts. */
export function strongerAction(a: VerdictAction, b: VerdictAction): VerdictAction {
  return actionRank[a] >= actionRank[b] ? a : b;
}

/**
 * What came of a chance that a model was given.
 *
 * @param before the action of the incident's verdict before this one; undefined: it is the first that is known
 */
export function mitigationBy(
  before: VerdictAction | undefined,
  { action, outcome }: Pick<Verdict, 'action' | 'outcome'>,
): 'recovered' | 'blocked' | undefined {
  if (before !== 'chance') return undefined;
  if (action === 'block') return 'blocked';
  return outcome === 'recovered' ? 'recovered' : undefined;
}
