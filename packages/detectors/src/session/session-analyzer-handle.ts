import { type AgentEvent, type CheckAnswer, MAX_NAME_UNITS } from '@loopwatch/contract';
import type { SemanticCheck } from '../detectors/semantic/semantic-check.ts';
import type { PureVerdict } from '../incident/verdict.ts';
import type { Detection } from '../plan/detection.ts';
import { applyControl } from '../settings/session-settings.ts';
import { SessionAnalyzer } from './session-analyzer.ts';
import type { SessionSnapshot } from './session-snapshot.ts';

/** One session's analyzer, as a library hands it out. */
export interface SessionAnalyzerHandle {
  /**
   * Takes the session's next event. An event without `id` gets `#<index>`, one without `time` the time of the event
   * before it (0 at first). Of a tool's name the first 1,024 characters count.
   *
   * @returns the verdicts at this event, mostly none
   */
  push(event: AgentEvent): PureVerdict[];
  /**
   * With the semantic layer, to be called after every push: the question to a model that the event raised, if it
   * raised one. Send its messages, read the answer by `parseJudgeAnswer`, and hand that to {@link answer}.
   */
  takeCheck(): SemanticCheck | undefined;
  /** Takes the answer to a check. @returns the verdicts that follow from it, at the event that asked */
  answer(checkId: string, answer: CheckAnswer): PureVerdict[];
  /** The whole state, as JSON. */
  snapshot(): { sessionId: string; state: SessionSnapshot } | null;
  /**
   * Goes on from a snapshot of an analyzer with the same configuration, of whichever entry.
   *
   * @throws Error when the session has been told to go by rules that this entry does not have
   */
  restore(snapshot: { sessionId: string; state: SessionSnapshot } | null): void;
}

/** Callers of the library come through no other door that would refuse a longer name. */
function withShortName(event: AgentEvent): AgentEvent {
  if (event.type !== 'tool_call_request' || typeof event.name !== 'string') return event;
  return event.name.length <= MAX_NAME_UNITS
    ? event
    : { ...event, name: event.name.slice(0, MAX_NAME_UNITS) };
}

export function handleOf(detection: Detection): SessionAnalyzerHandle {
  let analyzer: SessionAnalyzer | undefined;
  return {
    push(event) {
      analyzer ??= new SessionAnalyzer(event.sessionId ?? '', detection);
      return [...analyzer.push(withShortName(event)).verdicts];
    },
    takeCheck() {
      return analyzer?.takeCheck();
    },
    answer(checkId, answer) {
      return [...(analyzer?.answer(checkId, answer)?.verdicts ?? [])];
    },
    snapshot() {
      return analyzer === undefined ? null : { sessionId: analyzer.sessionId, state: analyzer.snapshot() };
    },
    restore(snapshot) {
      analyzer = undefined;
      if (snapshot === null) return;
      const { settings, library } = detection;
      const own = applyControl(settings, snapshot.state.overrides, {}, library.schema);
      if ('refused' in own) throw new Error(own.refused);
      analyzer = new SessionAnalyzer(snapshot.sessionId, detection);
      analyzer.restore(snapshot.state);
    },
  };
}
