import type { BudgetResource, EvidenceOf } from '@loopwatch/contract';
import { roundUsd } from '../../lib/round-usd.ts';

/** Limit per resource; resources without a limit are omitted. */
export type BudgetLimits = Readonly<Partial<Record<BudgetResource, number | undefined>>>;
/** Usage of one limit of a budget. */
export type BudgetUse = EvidenceOf<'budget'>['uses'][number];

/** Percent of a budget at which a warning is due, and at which it is exhausted. */
export const WARNED_AT = 80;
export const USED_UP = 100;

/** The limits of a budget with their usage, the most used first. */
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

/** Usage in whole percent, rounded down: at 100 nothing is left. */
export function budgetPercent({ used, limit }: BudgetUse): number {
  return Math.floor((used / limit) * 100 + 1e-9);
}

/** @param whose the owner of the budget, such as `this session` */
export function reportedUse(whose: string, use: BudgetUse): string {
  const percent = budgetPercent(use);
  const share = percent >= USED_UP ? '' : `${String(percent)}% of `;
  return `${capitalized(whose)} has used ${share}its budget: ${shownUse(use)}`;
}

const units: Readonly<Record<Exclude<BudgetUse['resource'], 'usd'>, string>> = {
  tokens: 'tokens',
  calls: 'tool calls',
  minutes: 'minutes',
  sub_agents: 'sub-agents',
  sub_agent_levels: 'levels of sub-agents',
};

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `4 of 5 tool calls`, `$0.72 of $0.50`. */
function shownUse({ resource, used, limit }: BudgetUse): string {
  if (resource === 'usd') return `${shownUsd(used)} of ${shownUsd(limit)}`;
  return `${shown(used)} of ${shown(limit)} ${units[resource]}`;
}

function shown(amount: number): string {
  return amount.toLocaleString('en-US', { maximumFractionDigits: 2 });
}

function shownUsd(amount: number): string {
  // Two digits would round small amounts to nothing.
  const maximumFractionDigits = amount < 0.1 ? 4 : 2;
  return amount.toLocaleString('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits });
}
