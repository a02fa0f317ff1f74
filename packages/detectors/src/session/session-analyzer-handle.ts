import { type AgentEvent, type CheckAnswer, MAX_NAME_UNITS } from '@loopwatch/contract';
import type { SemanticCheck } from '../detectors/semantic/semantic-check.ts';
import { OpenVerdicts } from '../incident/open-verdicts.ts';
import type { PureVerdict } from '../incident/verdict.ts';
import type { Detection } from '../plan/detection.ts';
import { applyControl } from '../settings/session-settings.ts';
import { ALLOWED, type Decision, decide, type ProposedCall } from './decide.ts';
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
  /**
   * What would happen at a call, asked before it runs: whether it goes on with an open loop, or reaches a limit. Nothing
   * of it is kept. Where it is denied, hand its `guidance` to the model in place of a result, and push the call all the
   * same, with {@link denialText} of the guidance as its result: it counts as a repetition.
   */
  decide(call: ProposedCall): Decision;
  /** The whole state, as JSON. */
  snapshot(): AnalyzerSnapshot | null;
  /**
   * Goes on from a snapshot of an analyzer with the same configuration, of whichever entry.
   *
   * @throws Error when the session's own settings need rules that this entry does not have
   */
  restore(snapshot: AnalyzerSnapshot | null): void;
}

export interface AnalyzerSnapshot {
  readonly sessionId: string;
  readonly state: SessionSnapshot;
  /** Last verdicts of what is open; an earlier version saved none. */
  readonly open?: readonly PureVerdict[];
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
      const { settings, library } = detection;
      const own = applyControl(settings, snapshot.state.overrides, {}, library.schema);
      if ('refused' in own) throw new Error(own.refused);
      analyzer = new SessionAnalyzer(snapshot.sessionId, detection);
      analyzer.restore(snapshot.state);
      open.note(snapshot.open ?? []);
    },
  };
}
