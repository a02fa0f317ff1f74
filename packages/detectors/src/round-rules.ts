import { CallHistory } from './call-history.ts';
import { Outage } from './outage.ts';
import type { RoundRules } from './plan.ts';
import { roundOptions } from './round-options.ts';
import { RoundRepeat } from './round-repeat.ts';
import { Stagnation } from './stagnation/stagnation.ts';
import { hasCycles, ToolCycle } from './tool-cycle.ts';

/** The rules that look at calls together with their results; `null` where the settings want none of them. */
export function roundRules(...settings: Parameters<typeof roundOptions>): RoundRules | null {
  const options = roundOptions(...settings);
  if (options === null) return null;
  const { outage, stagnation } = options;
  return {
    options,
    createHistory: () => new CallHistory(options),
    createToolRepeat: (plan) => new RoundRepeat(plan, options),
    createOutage: () => outage && new Outage(outage, options.agents),
    createToolCycle: () => (hasCycles(options) ? new ToolCycle(options) : null),
    createStagnation: () => stagnation && new Stagnation(options, stagnation),
  };
}
