import type { Labels } from '../incident/session-labels.ts';
import { roundUsd } from '../lib/round-usd.ts';
import type { DetectionPlan } from '../plan/plan.ts';
import type { SessionTotals } from './session-totals.ts';

/** What a session has used so far, who it is, and by which settings it is watched. */
export interface SessionAccount extends Omit<Labels, 'promptId'> {
  readonly events: number;
  /** Those of types that this version does not know. */
  readonly unknown: number;
  readonly prompts: number;
  readonly turns: number;
  readonly toolCalls: number;
  /** UTF-16 code units of answer and reasoning. */
  readonly characters: number;
  /** `null` where no usage was reported. */
  readonly tokens: { readonly input: number; readonly output: number; readonly cached: number } | null;
  /** US dollars; `null` where no usage was reported, or a turn's model has no price. */
  readonly usd: number | null;
  readonly preset: string;
  readonly configHash: string;
}

export function accountOf(
  totals: SessionTotals,
  { promptId: _, ...labels }: Labels,
  { preset, configHash }: DetectionPlan,
): SessionAccount {
  const { inputTokens, outputTokens, cachedTokens, usageReports, usd, unpricedReports } = totals;
  return {
    events: totals.events,
    unknown: totals.unknown,
    prompts: totals.prompts,
    turns: totals.turns,
    toolCalls: totals.calls,
    characters: totals.contentUnits + totals.thoughtUnits,
    tokens: usageReports === 0 ? null : { input: inputTokens, output: outputTokens, cached: cachedTokens },
    usd: usageReports === 0 || unpricedReports > 0 ? null : roundUsd(usd),
    ...labels,
    preset,
    configHash,
  };
}
