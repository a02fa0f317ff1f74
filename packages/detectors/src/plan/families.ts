import type { DetectionSettings, detectionSchema, Mode } from '@loopwatch/contract';
import type { RoundPreset } from '../settings/presets.ts';
import type { TextIndex, TextRule } from '../text/text-index.ts';
import type { RoundRules } from './plan.ts';

/**
 * What detection is made of besides calls and text as they are. Each family is handed in by an entry of the library, so
 * that a page's bundle holds only those of its entry.
 */
export interface Families {
  /** The rules that look at calls together with their results. */
  readonly rounds:
    | ((settings: DetectionSettings, preset: RoundPreset | null, mode: Mode) => RoundRules | null)
    | null;
  /** Text by what is new in it. */
  readonly folded: ((rule: TextRule) => TextIndex) | null;
  /** Checks settings, those of a session too: what needs a family that is missing is refused. */
  readonly schema: typeof detectionSchema;
}
