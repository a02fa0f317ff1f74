import type { PureVerdict } from '../incident/verdict.ts';
import type { Refusal } from '../settings/refusal.ts';
import type { TurnRequest } from './detector-bank.ts';
import type { SessionState } from './session-report.ts';

/** Verdicts, each with the caller's position at which its loop began. */
export interface Conclusion {
  readonly verdicts: readonly PureVerdict[];
  readonly origins: readonly number[];
}

/** The result of pushing an event. */
export interface PushResult extends Conclusion {
  /** The event's id was already known, so it was skipped. */
  readonly isDuplicate: boolean;
  /** Why settings requested by the event were rejected, if any were. */
  readonly refusals: readonly Refusal[];
  /**
   * The session up to a long pause, after which it starts again; `null` without such a pause. Its open incidents are never
   * resolved.
   */
  readonly before: SessionState | null;
  /** The model request that the event started, if requests are limited. */
  readonly turnRequest: TurnRequest | null;
}

export const NO_VERDICTS: Conclusion = { verdicts: [], origins: [] };
/** Shared result of the many events without findings. */
export const NOTHING_FOUND: PushResult = {
  ...NO_VERDICTS,
  isDuplicate: false,
  refusals: [],
  before: null,
  turnRequest: null,
};
export const DUPLICATE: PushResult = { ...NOTHING_FOUND, isDuplicate: true };
