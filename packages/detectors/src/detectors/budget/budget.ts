import type { VerdictOutcome } from '@loopwatch/contract';
import type { Account, Detector, EventStep, Finding, IncidentSnapshot } from '../../incident/finding.ts';
import { Incident } from '../../incident/incident.ts';
import { closingReason } from '../../incident/shown-calls.ts';
import {
  type BudgetLimits,
  type BudgetUse,
  budgetPercent,
  budgetUses,
  reportedUse,
  USED_UP,
  WARNED_AT,
} from './budget-use.ts';

/** Options of budget. */
export interface BudgetOptions {
  readonly limits: BudgetLimits;
}

const NOTHING_USED: BudgetUse = { resource: 'tokens', used: 0, limit: 1 };

/**
 * Compares a session's usage with its limits; the most used limit decides. Neither a new prompt nor a retried turn
 * refunds usage: it was paid for.
 */
export class Budget implements Detector {
  readonly isRevocable = false;
  readonly #options: BudgetOptions;
  /** Event time of the first event, epoch ms. */
  #beganAt: number | undefined;
  #incident: Incident<'budget'> | undefined;
  #uses: readonly BudgetUse[] = [];
  #unpricedTurns = 0;

  constructor(options: BudgetOptions) {
    this.#options = options;
  }

  push(step: EventStep): void {
    this.#beganAt ??= step.time;
    const uses = this.#usesAt(step, this.#beganAt);
    const percent = budgetPercent(uses[0] ?? NOTHING_USED);
    const isUsedUp = percent >= USED_UP;
    if (
      this.#incident !== undefined &&
      (percent < WARNED_AT || (this.#incident.action === 'block' && !isUsedUp))
    )
      this.#end(step, 'recovered', 'the budget was raised');
    if (percent < WARNED_AT) return;
    this.#uses = uses;
    if (this.#incident === undefined)
      this.#incident = new Incident(isUsedUp ? 'block' : 'warn', USED_UP, step.mark());
    else if (isUsedUp) this.#incident.action = 'block';
    this.#incident.report(step, percent, () => this.#account());
  }

  current(): readonly Finding[] {
    const incident = this.#incident;
    return incident === undefined ? [] : [incident.finding('escalated', this.#account())];
  }

  close(step: EventStep, outcome: VerdictOutcome): void {
    this.#end(step, outcome, closingReason(outcome));
  }

  /** Usage including this event. A call counts once another event follows it, so that the last allowed call may run. */
  #usesAt(step: EventStep, beganAt: number): readonly BudgetUse[] {
    const { event, cost, time } = step;
    const before = step.mark();
    const usage = event.type === 'turn_finished' ? event.usage : undefined;
    this.#unpricedTurns = before.unpricedReports + (usage && cost === undefined ? 1 : 0);
    return budgetUses(this.#options.limits, {
      tokens: before.tokens + (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0),
      usd: before.usd + (cost ?? 0),
      calls: before.calls,
      minutes: Math.max(0, time - beganAt) / 60_000,
    });
  }

  #end(step: EventStep, outcome: VerdictOutcome, why: string): void {
    const incident = this.#incident;
    if (incident === undefined) return;
    this.#incident = undefined;
    step.emit(incident.resolution(this.#account(), outcome, why));
  }

  #account(): Account<'budget'> {
    const uses = this.#uses;
    const unpricedTurns = this.#unpricedTurns;
    const [first = NOTHING_USED] = uses;
    return {
      detector: 'budget',
      kind: 'limit',
      threshold: USED_UP,
      thresholdOf: { setting: `budget.${first.resource}`, value: first.limit },
      // Contains several numbers, none of which is the count.
      reason: reportedUse('this session', first),
      evidence: { per: 'session', uses: [...uses], ...(unpricedTurns > 0 && { unpricedTurns }) },
    };
  }

  snapshot(): BudgetSnapshot | null {
    const beganAt = this.#beganAt;
    const uses = this.#uses;
    const unpricedTurns = this.#unpricedTurns;
    return beganAt === undefined
      ? null
      : { beganAt, uses, unpricedTurns, incident: this.#incident?.snapshot() };
  }

  restore({ beganAt, uses, unpricedTurns, incident }: BudgetSnapshot): void {
    this.#beganAt = beganAt;
    this.#uses = uses;
    this.#unpricedTurns = unpricedTurns;
    this.#incident = incident && Incident.restore(incident);
  }
}

export interface BudgetSnapshot {
  readonly beganAt: number;
  readonly uses: readonly BudgetUse[];
  readonly unpricedTurns: number;
  readonly incident: IncidentSnapshot | undefined;
}
