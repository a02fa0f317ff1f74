import type { DetectionSettings, Mode } from '@loopwatch/contract';
import { isOn } from '../lib/is-on.ts';
import type { Preset } from '../settings/presets.ts';

/** Options of tool-cycle; stagnation leaves to it what it can find. */
export interface CycleOptions {
  /** Steps of the longest cycle that is looked for. */
  readonly maxPeriod: number;
  /** Times that a cycle is gone through until it is a loop. */
  readonly threshold: number;
  readonly mode: Mode;
}

/** @returns `null` where cycles are not looked for */
export function cycleOptions(
  { tool_cycle: own }: DetectionSettings,
  { results }: Preset,
  mode: Mode,
): CycleOptions | null {
  if (!isOn(own, results)) return null;
  return { maxPeriod: own.max_period ?? 8, threshold: own.min_repeats ?? 3, mode: own.mode ?? mode };
}
