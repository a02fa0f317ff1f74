import type { Verdict, VerdictAction } from './verdict.ts';

/*
 * The lifecycle of an incident, as its verdicts define it. `activity.ts` derives whether an open incident is quiet.
 */

/** Whether the incident is open after this verdict. */
export function isOpenAfter({ phase }: Pick<Verdict, 'phase'>): boolean {
  return phase !== 'resolved';
}

const actionRank: Readonly<Record<VerdictAction, number>> = { none: 0, warn: 1, chance: 2, block: 3 };

/** The stronger of two actions. The action of an incident is the strongest of its verdicts. */
export function strongerAction(a: VerdictAction, b: VerdictAction): VerdictAction {
  return actionRank[a] >= actionRank[b] ? a : b;
}

/**
 * The result of a chance that the model was given.
 *
 * @param before action of the incident's previous verdict; undefined if none is known
 */
export function mitigationBy(
  before: VerdictAction | undefined,
  { action, outcome }: Pick<Verdict, 'action' | 'outcome'>,
): 'recovered' | 'blocked' | undefined {
  if (before !== 'chance') return undefined;
  if (action === 'block') return 'blocked';
  return outcome === 'recovered' ? 'recovered' : undefined;
}
