export type { Guard, GuardMode, GuardOptions, GuardStats, VerdictOrigin } from './guard.ts';
export type { LangChainMiddleware } from './langchain-middleware.ts';
export { createGuard } from './session-guard.ts';
