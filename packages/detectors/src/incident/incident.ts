import type { DetectorId, Mode, VerdictAction, VerdictOutcome, VerdictPhase } from '@loopwatch/contract';
import type { Mark } from '../calls/mark.ts';
import type { Account, EventStep, Finding, IncidentSnapshot } from './finding.ts';

/**
 * The lifecycle of one loop: opened, escalated while it continues, resolved when the pattern ends. A repetition is
 * reported when it opens the incident, when it follows a chance given to the model, and at each doubling of the
 * threshold.
 */
export class Incident<D extends DetectorId> {
  readonly since: Mark;
  readonly mode: Mode;
  action: VerdictAction = 'none';
  count = 0;
  #nextLevel: number;
  /** Its slot among the open incidents; computed on first use. */
  #slot: string | undefined;

  constructor(mode: Mode, threshold: number, since: Mark) {
    this.mode = mode;
    this.since = since;
    this.#nextLevel = threshold;
  }

  /** Records that the pattern holds with this count. @returns the phase to report; undefined if no report is due */
  repeat(count: number): VerdictPhase | undefined {
    this.count = count;
    const opening = this.action === 'none';
    const chanceMissed = this.action === 'chance';
    const levelReached = count >= this.#nextLevel;
    while (this.#nextLevel <= count) this.#nextLevel *= 2;
    if (opening) {
      this.action = this.mode === 'chance_then_block' ? 'chance' : this.mode;
      return 'opened';
    }
    if (chanceMissed) this.action = 'block';
    return chanceMissed || levelReached ? 'escalated' : undefined;
  }

  /** Records that the pattern holds with this count, and reports it if due. */
  report(step: Pick<EventStep, 'emit' | 'noteProgress'>, count: number, account: () => Account<D>): void {
    const phase = this.repeat(count);
    if (phase !== undefined) step.emit(this.finding(phase, account()));
    else step.noteProgress((this.#slot ??= slotOf({ key: '', ...account() })), count);
  }

  /** The finding for the incident's current state, with defaults for what the account omits. */
  finding(phase: VerdictPhase, { guidance, evidence, ...account }: Account<D>): Finding<D> {
    const { action, count, since } = this;
    this.#slot = slotOf({ key: '', ...account });
    return {
      key: '',
      windowMs: null,
      period: 1,
      tool: null,
      ...account,
      phase,
      action,
      count,
      since,
      ...(phase !== 'resolved' && action !== 'warn' && guidance !== undefined && { guidance }),
      evidence: { ...evidence, lastAction: action },
    };
  }

  /** The finding that ends the incident; its reason ends with `why`. */
  resolution(account: Account<D>, outcome: VerdictOutcome, why: string): Finding<D> {
    const { reason, plainReason = reason } = account;
    return {
      ...this.finding('resolved', account),
      action: 'none',
      outcome,
      reason: `${reason}; ${why}`,
      plainReason: `${plainReason}; ${why}`,
    };
  }

  snapshot(): IncidentSnapshot {
    const { since, mode, action, count } = this;
    const nextLevel = this.#nextLevel;
    return { since, mode, action, count, nextLevel };
  }

  static restore<D extends DetectorId>(snapshot: IncidentSnapshot): Incident<D> {
    const incident = new Incident<D>(snapshot.mode, snapshot.nextLevel, snapshot.since);
    incident.action = snapshot.action;
    incident.count = snapshot.count;
    return incident;
  }
}

/** The key that distinguishes incidents open at the same time. */
export function slotOf({ detector, key }: Pick<Finding, 'detector' | 'key'>): string {
  return `${detector} ${key}`;
}
