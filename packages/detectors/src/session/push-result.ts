import type { OpenIncidentSummary } from '@loopwatch/contract';
import type { PureVerdict } from '../incident/verdict.ts';
import type { Refusal } from '../settings/refusal.ts';
import type { SessionAccount } from './session-account.ts';

/** A model request, by its number in its prompt. */
export interface TurnRequest {
  readonly number: number;
  readonly allowed: number;
}

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
  /** Incidents that are never resolved, because detection restarted after a pause; as of the last event before it. */
  readonly abandoned: readonly OpenIncidentSummary[];
  /** The session's usage up to a long pause, after which it counts from 0 again; `null` without such a pause. */
  readonly accountBefore: SessionAccount | null;
  /** The model request that the event started, if requests are limited. */
  readonly turnRequest: TurnRequest | null;
}

export const NO_VERDICTS: Conclusion = { verdicts: [], origins: [] };
/** Shared result of the many events without findings. */
export const NOTHING_FOUND: PushResult = {
  ...NO_VERDICTS,
  isDuplicate: false,
  refusals: [],
  abandoned: [],
  accountBefore: null,
  turnRequest: null,
};
export const DUPLICATE: PushResult = { ...NOTHING_FOUND, isDuplicate: true };
