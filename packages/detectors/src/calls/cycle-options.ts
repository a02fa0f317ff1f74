import type { DetectionSettings, Mode } from '@loopwatch/contract';
import { isOn } from '../lib/is-on.ts';
import type { Preset } from '../settings/presets.ts';

/** Options of tool-cycle. Stagnation ignores the cycles that tool-cycle can find. */
export interface CycleOptions {
  /** Maximum length of a cycle, in steps. */
  readonly maxPeriod: number;
  /** Repetitions of a cycle that make it a loop. */
  readonly threshold: number;
  readonly mode: Mode;
}

/** @returns `null` if tool-cycle is off */
export function cycleOptions(
  { tool_cycle: own }: DetectionSettings,
  { results }: Preset,
  mode: Mode,
): CycleOptions | null {
  if (!isOn(own, results)) return null;
  return { maxPeriod: own.max_period ?? 8, threshold: own.min_repeats ?? 3, mode: own.mode ?? mode };
}
