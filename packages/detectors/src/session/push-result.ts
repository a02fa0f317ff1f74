import type { PureVerdict } from '../incident/verdict.ts';
import type { TurnRequest } from './session-step.ts';

/** Verdicts, with the caller's own position at which the loop of each began. */
export interface Conclusion {
  readonly verdicts: readonly PureVerdict[];
  readonly origins: readonly number[];
}

/** What an event led to. */
export interface PushResult extends Conclusion {
  /** The session knows the event's id: it was passed over. */
  readonly isDuplicate: boolean;
  /** Why settings that the event asked for were refused; `null`: none were. */
  readonly refusal: string | null;
  /** Incidents left open for ever, because the session restarted after a pause. */
  readonly abandoned: readonly string[];
  /** The model request that the event began, where their number is limited. */
  readonly turnRequest: TurnRequest | null;
}

export const NO_VERDICTS: Conclusion = { verdicts: [], origins: [] };
/** Of most events there is nothing to tell. */
export const NOTHING_FOUND: PushResult = {
  ...NO_VERDICTS,
  isDuplicate: false,
  refusal: null,
  abandoned: [],
  turnRequest: null,
};
export const DUPLICATE: PushResult = { ...NOTHING_FOUND, isDuplicate: true };
