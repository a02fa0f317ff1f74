import type { Mode } from '@loopwatch/contract';
import type { ScheduleOptions } from './schedule.ts';
import type { HistoryOptions } from './turn-history.ts';

/** Options for the checks of a session. */
export interface SemanticOptions extends ScheduleOptions, HistoryOptions {
  /** A confidence above this counts as a loop. */
  readonly confidence: number;
  readonly mode: Mode;
}
