import type { PureVerdict } from '../incident/verdict.ts';

/** A tool call that has not run yet. */
export interface ProposedCall {
  readonly name: string;
  /** An object, or JSON text. */
  readonly args: unknown;
}

/** What follows from a call, were it made. */
export interface Foresight {
  /** Verdicts at the call itself. */
  readonly atCall: readonly PureVerdict[];
  /** Verdicts behind it, brought it the same as the last time. */
  readonly asBefore: readonly PureVerdict[];
  /** Whether the same call was made before; `null` where results are not looked at. */
  readonly isKnown: boolean | null;
  /** Whether the session restarts with it, after a long pause: nothing that was open stays so. */
  readonly restarts: boolean;
}

/** Whether a call should run. */
export interface Decision {
  readonly action: 'allow' | 'warn' | 'deny';
  /** What repeats, as a sentence for people; `null` where nothing does. */
  readonly reason: string | null;
  /** What to tell the model in place of a result; `null` where the call may run. */
  readonly guidance: string | null;
  /** The incident that the call goes on with. */
  readonly incidentId: string | null;
}

export const ALLOWED: Decision = { action: 'allow', reason: null, guidance: null, incidentId: null };
