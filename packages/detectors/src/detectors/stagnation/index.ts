import { cycleOptions } from '../../calls/cycle-options.ts';
import { isOn } from '../../lib/is-on.ts';
import type { DetectorDefinition } from '../definition.ts';
import type { StagnationOptions } from './options.ts';
import { Stagnation } from './stagnation.ts';

export const stagnation: DetectorDefinition<StagnationOptions> = {
  id: 'stagnation',
  needsResults: ({ stagnation: own }) => own,
  options: ({ settings, preset, calls }) => {
    const { stagnation: own } = settings;
    if (!isOn(own, preset.results)) return null;
    return {
      sameError: own.same_error ?? 5,
      sameFailure: own.same_failure ?? 4,
      sameResult: own.same_result ?? 5,
      sameAnswer: own.same_answer ?? 6,
      samePrompt: own.same_prompt ?? 5,
      nothingNew: own.nothing_new ?? 5,
      mode: own.mode ?? calls.tool.mode,
      longestCycle: cycleOptions(settings, preset, calls.tool.mode)?.maxPeriod ?? 1,
    };
  },
  // tool-cycle hashes its maximum cycle length itself.
  hashed: ({ longestCycle, ...own }) => own,
  create: (options, { knowledge }) => new Stagnation(options, knowledge),
};
