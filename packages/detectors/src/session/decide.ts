import { type AgentEvent, strongerAction, type Verdict } from '@loopwatch/contract';
import { denialText } from '../calls/result-kind.ts';
import type { ProposedCall } from '../incident/call-key.ts';
import type { DetectionPlan } from '../plan/plan.ts';
import { guidanceOf, stopMessage } from '../plan/stop-message.ts';

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

/** The facts of an open incident that decide a call: its latest verdict, or what was stored of it. */
export type OpenIncident = Pick<
  Verdict,
  | 'incidentId'
  | 'kind'
  | 'detector'
  | 'action'
  | 'callKey'
  | 'agent'
  | 'tool'
  | 'count'
  | 'windowMs'
  | 'thresholdOrigin'
  | 'reason'
  | 'guidance'
> & {
  /** Event time at which it was last known to continue, epoch ms. */
  readonly time: number;
};

/** The decision on a call that continues these incidents: the strongest action decides, then the latest incident. */
export function decisionBy(
  incidents: readonly OpenIncident[],
  plan: DetectionPlan,
  { name }: ProposedCall,
): Decision {
  const [first, ...others] = incidents;
  if (first === undefined) return ALLOWED;
  const strongest = others.reduce((a, b) => (strongerAction(a.action, b.action) === a.action ? a : b), first);
  const { action, reason, incidentId } = strongest;
  if (action === 'none') return ALLOWED;
  if (action === 'warn') return { action: 'warn', reason, guidance: null, incidentId };
  const guidance = action === 'block' ? stopMessage(strongest, plan, name) : guidanceOf(strongest);
  return { action: 'deny', reason, guidance, incidentId };
}

/** The decision on any call of a session that a person has stopped. @param by who did, if known */
export function stoppedDecision(by: string | null = null): Decision {
  const reason = `The session was stopped${by === null ? '' : ` by ${by}`} in Loopwatch`;
  const guidance = `${reason}. Make no more tool calls: say what is done and what is left, and end your turn.`;
  return { action: 'deny', reason, guidance, incidentId: null };
}

/** The result of a denied call: it counts as another repetition. */
export function deniedResult({ guidance, reason }: Decision) {
  const result = denialText(guidance ?? reason ?? '');
  return { type: 'tool_result', result, isError: true, denied: true } as const satisfies AgentEvent;
}
