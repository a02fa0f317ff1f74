import type { BudgetResource, EvidenceOf } from '@loopwatch/contract';
import { roundUsd } from '../../lib/round-usd.ts';

/** What may be used of each; what has no limit is left out. */
export type BudgetLimits = Readonly<Partial<Record<BudgetResource, number | undefined>>>;
/** How far one limit of a budget is used. */
export type BudgetUse = EvidenceOf<'budget'>['uses'][number];

/** Percent of a budget: at the first it is warned of, at the second it is used up. */
export const WARNED_AT = 80;
export const USED_UP = 100;

/** The limits of a budget with what is used of them, the one that is used the most first. */
export function budgetUses(
  limits: BudgetLimits,
  used: Readonly<Record<BudgetResource, number>>,
): readonly BudgetUse[] {
  return (Object.keys(used) as BudgetResource[])
    .flatMap((resource): BudgetUse[] => {
      const limit = limits[resource];
      return limit === undefined ? [] : [{ resource, used: roundUsd(used[resource]), limit }];
    })
    .sort((a, b) => b.used / b.limit - a.used / a.limit);
}

/** Whole percent, rounded down: at 100 nothing is left. */
export function budgetPercent({ used, limit }: BudgetUse): number {
  return Math.floor((used / limit) * 100 + 1e-9);
}

/** @param whose what the budget is of, as `this session` */
export function reportedUse(whose: string, use: BudgetUse): string {
  const percent = budgetPercent(use);
  const amounts = `${shown(use.used)} of ${shown(use.limit)} ${units[use.resource]}`;
  if (percent >= USED_UP) return `The budget of ${whose} is used up: ${amounts}`;
  return `${String(percent)}% of the budget of ${whose} is used: ${amounts}`;
}

const units: Readonly<Record<BudgetResource, string>> = {
  tokens: 'tokens',
  usd: 'US dollars',
  calls: 'tool calls',
  minutes: 'minutes',
};

function shown(amount: number): string {
  return amount.toLocaleString('en-US', { maximumFractionDigits: 2 });
}
