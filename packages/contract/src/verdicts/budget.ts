/** What a budget can limit, and its scopes. This file has no schema, to keep the detection bundle small. */

export const budgetResources = ['tokens', 'usd', 'calls', 'minutes'] as const;
/** What a session starts. */
export const subAgentResources = ['sub_agents', 'sub_agent_levels'] as const;
export const budgetScopes = ['session', 'agent', 'tenant', 'day'] as const;

export type BudgetResource = (typeof budgetResources)[number];
export type BudgetScope = (typeof budgetScopes)[number];
