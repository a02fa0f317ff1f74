import type { BudgetSnapshot } from '../detectors/budget/budget.ts';
import type { DetectionPlan } from '../plan/plan.ts';
import type { WatchedSnapshot } from './watched-session.ts';

/** What the turns of one model used. */
export interface ModelUsage {
  readonly model: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  readonly hourCacheWriteTokens?: number;
  /** Turns that report their usage. */
  readonly reports: number;
  readonly calls: number;
}

/** What a session used before its events were analyzed here. */
export interface PastUsage {
  /** Epoch ms. */
  readonly beganAt: number;
  readonly models: readonly ModelUsage[];
}

/**
 * The state of a session that goes on from what it has used, as its budget counts it.
 *
 * @param snapshot of a session without events
 * @param shown calls of that usage whose events will be pushed
 */
export function withPastUsage(
  snapshot: WatchedSnapshot,
  { detectors, prices }: DetectionPlan,
  { beganAt, models }: PastUsage,
  shown: number,
): WatchedSnapshot {
  const { state } = snapshot;
  const totals = { ...state.totals, calls: -shown };
  for (const { model, calls, reports, ...usage } of models) {
    const cost = prices.costOf({ type: 'turn_finished', usage }, model);
    totals.calls += calls;
    totals.inputTokens += usage.inputTokens;
    totals.outputTokens += usage.outputTokens;
    totals.cachedTokens += usage.cachedInputTokens;
    totals.usageReports += reports;
    if (cost === undefined) totals.unpricedReports += reports;
    else totals.usd += cost;
  }
  totals.calls = Math.max(0, totals.calls);
  const budget: BudgetSnapshot = { beganAt, uses: [], unpricedTurns: 0, incident: undefined };
  const states = detectors.map((planned, i) =>
    planned?.definition.id === 'budget' ? budget : state.detectors[i],
  );
  return { ...snapshot, state: { ...state, totals, detectors: states } };
}
