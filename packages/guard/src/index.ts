export type { Guard, GuardMode, GuardOptions, GuardStats, VerdictOrigin } from './guard.ts';
export { createGuard } from './session-guard.ts';
