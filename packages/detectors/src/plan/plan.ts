import type { CallHistory } from '../calls/call-history.ts';
import type { RoundOptions } from '../calls/round-options.ts';
import type { SemanticOptions } from '../detectors/semantic/options.ts';
import type { TextRepeatOptions } from '../detectors/text-repeat/options.ts';
import type { ToolLimitOptions } from '../detectors/tool-limit/tool-limit.ts';
import type { ToolRepeatPlan } from '../detectors/tool-repeat/options.ts';
import type { TurnLimitOptions } from '../detectors/turn-limit/turn-limit.ts';
import type { Detector } from '../incident/finding.ts';
import type { VerdictSettings } from '../incident/verdict.ts';

/** Rules that look at calls together with their results: what each is told, and how it is made. */
export interface RoundRules {
  readonly options: RoundOptions;
  createHistory(): CallHistory;
  createToolRepeat(plan: ToolRepeatPlan): Detector;
  /** Of the others, `null` is one that is off. */
  createOutage(): Detector | null;
  createToolCycle(): Detector | null;
  createStagnation(): Detector | null;
}

/** Detection settings made ready to run: the preset applied, one object shared by all sessions that have them. */
export interface DetectionPlan extends ToolRepeatPlan, VerdictSettings {
  readonly enabled: boolean;
  readonly idleMs: number;
  /** `null`: calls alone decide. */
  readonly rounds: RoundRules | null;
  readonly content: TextRepeatOptions | null;
  readonly thought: TextRepeatOptions | null;
  /** `null`: off, or nobody is there to answer. */
  readonly semantic: SemanticOptions | null;
  readonly toolLimit: ToolLimitOptions | null;
  readonly turnLimit: TurnLimitOptions | null;
}
