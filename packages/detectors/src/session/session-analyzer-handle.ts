import { type AgentEvent, type CheckAnswer, MAX_NAME_UNITS } from '@loopwatch/contract';
import type { SemanticCheck } from '../detectors/semantic/semantic-check.ts';
import { OpenVerdicts } from '../incident/open-verdicts.ts';
import type { PureVerdict } from '../incident/verdict.ts';
import type { Detection } from '../plan/detection.ts';
import { ALLOWED, type Decision, decide, type ProposedCall } from './decide.ts';
import { SessionAnalyzer } from './session-analyzer.ts';
import type { SessionSnapshot } from './session-snapshot.ts';

/** The public API of one session's analyzer. */
export interface SessionAnalyzerHandle {
  /**
   * Processes the session's next event. An event without `id` gets `#<index>`; one without `time`, the time of the
   * previous event (initially 0). Only the first 1,024 characters of a tool's name count.
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
   * changed. If the call is denied, give the model its `guidance` in place of a result, and still push the call, with
   * {@link denialText} of the guidance as its result: it counts as a repetition.
   */
  decide(call: ProposedCall): Decision;
  /** The whole state, as JSON. */
  snapshot(): AnalyzerSnapshot | null;
  /** Restores a snapshot of an analyzer with the same configuration. */
  restore(snapshot: AnalyzerSnapshot | null): void;
}

export interface AnalyzerSnapshot {
  readonly sessionId: string;
  readonly state: SessionSnapshot;
  /** The latest verdict of each open incident; absent in snapshots of earlier versions. */
  readonly open?: readonly PureVerdict[];
}

/** Shortens the tool name: for library callers, nothing else rejects a longer one. */
function withShortName(event: AgentEvent): AgentEvent {
  if (event.type !== 'tool_call_request' || typeof event.name !== 'string') return event;
  return event.name.length <= MAX_NAME_UNITS
    ? event
    : { ...event, name: event.name.slice(0, MAX_NAME_UNITS) };
}

export function handleOf(detection: Detection): SessionAnalyzerHandle {
  let analyzer: SessionAnalyzer | undefined;
  const open = new OpenVerdicts();
  const noted = (verdicts: readonly PureVerdict[] = []): PureVerdict[] => {
    open.note(verdicts);
    return [...verdicts];
  };
  return {
    push(event) {
      analyzer ??= new SessionAnalyzer(event.sessionId ?? '', detection);
      const { verdicts, abandoned } = analyzer.push(withShortName(event));
      if (abandoned.length > 0) open.clear();
      return noted(verdicts);
    },
    takeCheck() {
      return analyzer?.takeCheck();
    },
    answer(checkId, answer) {
      return noted(analyzer?.answer(checkId, answer)?.verdicts);
    },
    decide(call) {
      return analyzer === undefined ? ALLOWED : decide(analyzer, open.verdicts, call);
    },
    snapshot() {
      if (analyzer === undefined) return null;
      return { sessionId: analyzer.sessionId, state: analyzer.snapshot(), open: open.verdicts };
    },
    restore(snapshot) {
      analyzer = undefined;
      open.clear();
      if (snapshot === null) return;
      analyzer = new SessionAnalyzer(snapshot.sessionId, detection);
      analyzer.restore(snapshot.state);
      open.note(snapshot.open ?? []);
    },
  };
}
