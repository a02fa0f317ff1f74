/** What a budget can limit, and whose it can be. No schema stands here, so that detection carries nothing else with it. */

export const budgetResources = ['tokens', 'usd', 'calls', 'minutes'] as const;
export const budgetScopes = ['session', 'agent', 'tenant', 'day'] as const;

export type BudgetResource = (typeof budgetResources)[number];
export type BudgetScope = (typeof budgetScopes)[number];
