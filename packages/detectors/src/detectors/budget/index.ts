import { budgetResources, type DetectionSettings } from '@loopwatch/contract';
import { isOn } from '../../lib/is-on.ts';
import type { DetectorDefinition } from '../definition.ts';
import { Budget, type BudgetOptions } from './budget.ts';

export const budget: DetectorDefinition<BudgetOptions> = {
  id: 'budget',
  options: ({ settings }) => optionsOf(settings.budget),
  create: (options) => new Budget(options),
};

/** Shared budgets are excluded: a single session cannot enforce them. */
function optionsOf(own: DetectionSettings['budget']): BudgetOptions | null {
  if (!isOn(own) || !hasLimit(own) || (own.per ?? 'session') !== 'session') return null;
  const { tokens, usd, calls, minutes } = own;
  return { limits: { tokens, usd, calls, minutes } };
}

export function hasLimit(own: DetectionSettings['budget']): boolean {
  return budgetResources.some((resource) => own[resource] !== undefined);
}
