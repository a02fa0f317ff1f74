export { createGuard } from './create-guard.ts';
export type { Guard, GuardMode, GuardOptions, VerdictOrigin } from './guard.ts';
export type { GuardStats } from './stats.ts';
