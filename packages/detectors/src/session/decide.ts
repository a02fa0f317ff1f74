import { type AgentEvent, callDetectors, strongerAction } from '@loopwatch/contract';
import { denialText } from '../calls/result-kind.ts';
import { OpenVerdicts } from '../incident/open-verdicts.ts';
import type { PureVerdict } from '../incident/verdict.ts';
import { guidanceOf, stopMessage } from '../plan/stop-message.ts';
import type { SessionAnalyzer } from './session-analyzer.ts';

/** A tool call that has not run yet. */
export interface ProposedCall {
  readonly name: string;
  /** An object, or JSON text. */
  readonly args: unknown;
}

/** The predicted consequences of a call. */
interface Foresight {
  /** Verdicts at the call itself. */
  readonly atCall: readonly PureVerdict[];
  /** Verdicts after it, assuming it returns the same result as last time. */
  readonly asBefore: readonly PureVerdict[];
  /** Whether the same call was made before; `null` if results are not considered. */
  readonly isKnown: boolean | null;
  /** Whether the session restarts with it, after a long pause: no incident stays open then. */
  readonly restarts: boolean;
}

/** Whether a call should run. */
export interface Decision {
  readonly action: 'allow' | 'warn' | 'deny';
  /** A sentence for people that names the repetition; `null` if nothing repeats. */
  readonly reason: string | null;
  /** What to tell the model in place of a result; `null` if the call may run. */
  readonly guidance: string | null;
  /** The incident that the call continues. */
  readonly incidentId: string | null;
}

export const ALLOWED: Decision = { action: 'allow', reason: null, guidance: null, incidentId: null };

/**
 * Decides about a call before it runs. A call that continues an open loop or reaches a limit is denied. A call that
 * tries something else is allowed, as is one whose effect cannot be known before its result.
 *
 * @param open the latest verdict of each open incident of the session
 * @param time event time, epoch ms
 */
export function decide(
  analyzer: SessionAnalyzer,
  open: readonly PureVerdict[],
  call: ProposedCall,
  time?: number,
): Decision {
  const foresight = foresee(analyzer, call, time);
  const standing = foresight.restarts ? [] : open;
  const after = new OpenVerdicts();
  for (const verdicts of [standing, foresight.atCall, foresight.asBefore]) after.note(verdicts);
  const found = [
    ...standing.filter((verdict) => concerns(verdict, call, foresight)),
    ...foresight.atCall.filter(({ kind }) => kind !== 'outage'),
  ].filter(({ incidentId }) => after.isOpen(incidentId));
  if (found.length === 0) return ALLOWED;
  const strongest = found.reduce((a, b) => (strongerAction(a.action, b.action) === a.action ? a : b));
  return decisionBy(strongest, analyzer, call);
}

/**
 * Predicts the verdicts of a call if it returns the same result as before. The session itself is not changed.
 *
 * @param time event time, epoch ms
 */
function foresee(
  analyzer: SessionAnalyzer,
  { name, args }: ProposedCall,
  time = analyzer.lastTime,
): Foresight {
  const trial = analyzer.fork();
  const { verdicts, abandoned } = trial.push({ type: 'tool_call_request', name, args }, time);
  const { calls } = trial;
  const foresight = { atCall: verdicts, restarts: abandoned.length > 0 };
  if (calls === null) return { ...foresight, isKnown: null, asBefore: [] };
  const asBefore: PureVerdict[] = [];
  const push = (event: AgentEvent) => asBefore.push(...trial.push(event, time).verdicts);
  for (let left = calls.unanswered; left > 0; left -= 1)
    push({ type: 'tool_result', result: denialText('') });
  if (calls.settled === null) push({ type: 'turn_finished' });
  const isKnown = calls.settled?.calls.every(({ result }) => result?.kind !== 'not_run') ?? false;
  return { ...foresight, isKnown, asBefore };
}

/** Whether an open incident, which the call does not end, concerns this call. */
function concerns({ kind, detector, action, tool }: PureVerdict, call: ProposedCall, { isKnown }: Foresight) {
  if (kind === 'limit') return true;
  if (!callDetectors.has(detector)) return false;
  // A blocked tool stays blocked until another tool has returned something new.
  if (detector === 'stagnation' && action === 'block' && tool?.name === call.name) return true;
  return isKnown !== false;
}

function decisionBy(verdict: PureVerdict, analyzer: SessionAnalyzer, { name }: ProposedCall): Decision {
  const { action, reason, incidentId } = verdict;
  if (action === 'warn') return { action: 'warn', reason, guidance: null, incidentId };
  const guidance =
    action === 'block' ? stopMessage(verdict, analyzer.currentPlan, name) : guidanceOf(verdict);
  return { action: 'deny', reason, guidance, incidentId };
}
