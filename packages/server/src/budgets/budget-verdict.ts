import { type EvidenceOf, incidentTitle, type SessionSummary, type Verdict } from '@loopwatch/contract';
import { type BudgetUse, budgetPercent, reportedUse, sha256 } from '@loopwatch/detectors/internal';
import type { SharedUse } from './shared-use.ts';

/** A change of a shared budget's incident. */
export type BudgetChange =
  | { readonly phase: 'opened' | 'escalated'; readonly action: 'warn' | 'block' }
  | {
      readonly phase: 'resolved';
      readonly outcome: 'recovered' | 'ended';
      /** Why it ended, as the end of a sentence. */
      readonly ending: string;
    };

/** A budget itself wastes nothing: the cost is part of the incidents of loops. */
const NO_COST: Verdict['cost'] = { calls: 0, turns: 0, characters: 0, tokens: null, ms: 0 };
const NOTHING: BudgetUse = { resource: 'tokens', used: 0, limit: 1 };
const DAY_MS = 86_400_000;

/** The owner of a budget, as part of a sentence. */
export function ownerOf({ per, subject, day }: Pick<SharedUse, 'per' | 'subject' | 'day'>): string {
  return per === 'day' ? day : `${per} ${subject} on ${day}`;
}

/**
 * The verdict on a shared budget. It belongs to the session that used the budget last when the incident opened.
 *
 * @param now wall clock, epoch ms
 */
export function budgetVerdict(
  use: SharedUse,
  change: BudgetChange,
  session: SessionSummary,
  now: number,
): Verdict {
  const [first = NOTHING] = use.reportedUses;
  const { phase } = change;
  const action = phase === 'resolved' ? 'none' : change.action;
  const reason = reportedUse(use.per === 'day' ? `the day ${use.day}` : ownerOf(use), first);
  return limitVerdict({
    incident: ['budget', use.id, use.incidents],
    phase,
    action,
    outcome: phase === 'resolved' ? change.outcome : undefined,
    session,
    now,
    setting: `budget.${first.resource}`,
    reason: phase === 'resolved' ? `${reason}; ${change.ending}` : reason,
    evidence: { per: use.per, subject: use.subject, uses: [...use.reportedUses], lastAction: action },
  });
}

export interface LimitReport {
  /** What identifies the incident. */
  readonly incident: readonly (string | number)[];
  readonly phase: Verdict['phase'];
  readonly action: 'none' | 'warn' | 'block';
  readonly outcome: Verdict['outcome'];
  readonly session: SessionSummary;
  /** Wall clock, epoch ms. */
  readonly now: number;
  readonly setting: string;
  readonly reason: string;
  readonly evidence: EvidenceOf<'budget'>;
}

/** A verdict on a limit that concerns several sessions; it belongs to one of them. */
export function limitVerdict({ incident, phase, action, session, now, ...report }: LimitReport): Verdict {
  const { outcome, setting, reason, evidence } = report;
  const [first = NOTHING] = evidence.uses;
  const eventIndex = Math.max(0, session.events - 1);
  return {
    v: 1,
    id: `v-${idOf([phase, action, ...incident])}`,
    incidentId: limitIncidentId(incident),
    phase,
    kind: 'limit',
    detector: 'budget',
    action,
    ...(outcome !== undefined && { outcome }),
    sessionId: session.sessionId,
    promptId: null,
    eventId: `#${String(eventIndex)}`,
    eventIndex,
    time: session.lastEventAt,
    detectedAt: now,
    count: budgetPercent(first),
    threshold: 100,
    thresholdOrigin: { setting, value: first.limit, scope: 'server', adjustments: [] },
    windowMs: DAY_MS,
    period: 1,
    confidence: 1,
    tool: null,
    title: incidentTitle({ detector: 'budget', tool: null, count: budgetPercent(first), evidence }),
    reason,
    evidence,
    cost: NO_COST,
    model: session.model,
    backend: session.backend,
    agent: session.agent,
    tenant: session.tenant,
    preset: session.preset,
    configHash: session.configHash,
  };
}

export function limitIncidentId(incident: LimitReport['incident']): string {
  return `i-${idOf(['incident', ...incident])}`;
}

function idOf(parts: readonly (string | number)[]): string {
  return sha256(JSON.stringify(parts), 32);
}
