import type { Mode } from '@loopwatch/contract';
import type { ScheduleOptions } from './schedule.ts';
import type { HistoryOptions } from './turn-history.ts';

/** What there is to choose about the checks of a session. */
export interface SemanticOptions extends ScheduleOptions, HistoryOptions {
  /** A confidence above this is a loop. */
  readonly confidence: number;
  readonly mode: Mode;
}
