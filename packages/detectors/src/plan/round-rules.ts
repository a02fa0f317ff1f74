import { CallHistory } from '../calls/call-history.ts';
import { roundOptions } from '../calls/round-options.ts';
import { Outage } from '../detectors/outage/outage.ts';
import { Stagnation } from '../detectors/stagnation/stagnation.ts';
import { hasCycles, ToolCycle } from '../detectors/tool-cycle/tool-cycle.ts';
import { RoundRepeat } from '../detectors/tool-repeat/round-repeat.ts';
import type { RoundRules } from './plan.ts';

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
