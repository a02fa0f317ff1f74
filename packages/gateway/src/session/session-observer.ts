import type { AgentEvent } from '@loopwatch/contract';
import type { PureVerdict, TurnRequest } from '@loopwatch/detectors';
import type { Settings } from './session-settings.ts';

/** Told of everything a session sees. */
export interface SessionObserver {
  /** An event was taken, with what was concluded at it. */
  seen(event: AgentEvent, verdicts: readonly PureVerdict[]): void;
  /** Settings that were made elsewhere led to verdicts; their event is in the log already. */
  concluded(sessionId: string, verdicts: readonly PureVerdict[]): void;
  /** The user set something for the session in the chat. */
  settingsChanged(sessionId: string, own: Settings): void;
  turnRequest(sessionId: string, request: TurnRequest): void;
  /** Detection itself failed at an event; the session restarts. */
  fault(sessionId: string, error: unknown): void;
}
