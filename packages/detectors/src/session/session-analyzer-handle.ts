import { type AgentEvent, type CheckAnswer, shortName } from '@loopwatch/contract';
import { withOwnNames } from '@loopwatch/contract/internal';
import type { SemanticCheck } from '../detectors/semantic/semantic-check.ts';
import type { ProposedCall } from '../incident/call-key.ts';
import type { PureVerdict } from '../incident/verdict.ts';
import type { Detection } from '../plan/detection.ts';
import { ALLOWED, type Decision } from './decide.ts';
import { WatchedSession, type WatchedSnapshot } from './watched-session.ts';

/** The public API of one session's analyzer. */
export interface SessionAnalyzerHandle {
  /**
   * Processes the session's next event. An event without `id` gets `#<index>`; one without `time`, the time of the
   * previous event (initially 0). Only the first 1,024 bytes of a tool's name count.
   *
   * @returns the verdicts at this event, usually none
   */
  push(event: AgentEvent): PureVerdict[];
  /**
   * The check that the last event raised, if any; with the semantic layer, call after every push. Send its messages
   * to a model, parse the answer with `parseJudgeAnswer`, and pass the result to {@link answer}.
   */
  takeCheck(): SemanticCheck | undefined;
  /** Processes the answer to a check. @returns the resulting verdicts, at the event that raised the check */
  answer(checkId: string, answer: CheckAnswer): PureVerdict[];
  /**
   * Decides about a call before it runs: whether it continues an open loop or reaches a limit. The session is not
   * changed. If the call is denied, give the model its `guidance` in place of a result, and still push the call, and a
   * result with `denied: true`: it counts as a repetition.
   */
  decide(call: ProposedCall): Decision;
  /** The whole state, as JSON. */
  snapshot(): WatchedSnapshot | null;
  /** Restores a snapshot of an analyzer with the same configuration. */
  restore(snapshot: WatchedSnapshot | null): void;
}

/** Shortens the tool name: for library callers, nothing else rejects a longer one. */
function withShortName(event: AgentEvent): AgentEvent {
  if (event.type !== 'tool_call_request' || typeof event.name !== 'string') return event;
  const name = shortName(event.name);
  return name === event.name ? event : { ...event, name };
}

export function handleOf(detection: Detection): SessionAnalyzerHandle {
  let session: WatchedSession | undefined;
  return {
    push(event) {
      session ??= new WatchedSession(event.sessionId ?? '', detection);
      const { verdicts, fault } = session.push(withShortName(withOwnNames(event)));
      if (fault !== undefined) throw fault;
      return [...verdicts];
    },
    takeCheck() {
      return session?.analysis.takeCheck();
    },
    answer(checkId, answer) {
      return [...(session?.answer(checkId, answer).verdicts ?? [])];
    },
    decide(call) {
      return session === undefined ? ALLOWED : session.decide(call);
    },
    snapshot() {
      return session?.snapshot() ?? null;
    },
    restore(snapshot) {
      session = undefined;
      if (snapshot === null) return;
      session = new WatchedSession(snapshot.sessionId, detection);
      session.restore(snapshot);
    },
  };
}
