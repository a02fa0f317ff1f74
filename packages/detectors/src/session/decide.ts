import { type AgentEvent, type DetectorId, strongerAction, type Verdict } from '@loopwatch/contract';
import type { ProposedCall } from '../incident/call-key.ts';
import type { DetectionPlan } from '../plan/plan.ts';
import { customText, denialMessage, endMessage, limitMessage } from '../plan/stop-message.ts';
import { denialText } from '../results/result-kind.ts';

/** Whether a call should run. */
export interface Decision {
  readonly action: 'allow' | 'warn' | 'deny' | 'stop';
  /** A sentence for people that names the repetition; `null` if nothing repeats. */
  readonly reason: string | null;
  /** What to tell the model in place of a result; `null` if the call may run. */
  readonly guidance: string | null;
  /** The incident that the call continues. */
  readonly incidentId: string | null;
  /** With `stop`: an agent that can ask its user should do so instead. */
  readonly ask?: true;
}

/** Whether a call must not run. */
export function isRefused({ action }: Decision): boolean {
  return action === 'deny' || action === 'stop';
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

/**
 * The decision on a call that continues these incidents: the strongest action decides, then the latest incident. A spent
 * budget or limit of model requests ends the turn; a loop does after a number of denials.
 *
 * @param denials how often this loop was denied before
 */
export function decisionBy(
  incidents: readonly OpenIncident[],
  plan: DetectionPlan,
  { name }: ProposedCall,
  denials: number,
): Decision {
  const [first, ...others] = incidents;
  if (first === undefined) return ALLOWED;
  const strongest = others.reduce((a, b) => (strongerAction(a.action, b.action) === a.action ? a : b), first);
  const { action, reason, incidentId } = strongest;
  if (action === 'none') return ALLOWED;
  if (action === 'warn') return { action: 'warn', reason, guidance: null, incidentId };
  const isSpent = action === 'block' && endsTurn.has(strongest.detector);
  if (isSpent)
    return {
      action: 'stop',
      reason,
      guidance: endMessage(limitMessage(strongest)),
      incidentId,
      ...(plan.asksOnBudget && { ask: true }),
    };
  if (denials + 1 >= plan.stopAfterDenials)
    return {
      action: 'stop',
      reason,
      guidance: endMessage(customText(strongest, plan, name) ?? reason),
      incidentId,
    };
  return { action: 'deny', reason, guidance: denialMessage(strongest, plan, name), incidentId };
}

/** After the limit of tool calls, the model may still answer. */
const endsTurn: ReadonlySet<string> = new Set<DetectorId>(['budget', 'turn-limit']);

/** The decision on any call of a session that a person has stopped. @param by who did, if known */
export function stoppedDecision(by: string | null = null): Decision {
  const reason = `The session was stopped${by === null ? '' : ` by ${by}`} in Loopwatch`;
  return { action: 'stop', reason, guidance: endMessage(reason), incidentId: null };
}

/** The result of a denied call: it counts as another repetition. */
export function deniedResult({ guidance, reason }: Decision) {
  const result = denialText(guidance ?? reason ?? '');
  return { type: 'tool_result', result, isError: true, denied: true } as const satisfies AgentEvent;
}
