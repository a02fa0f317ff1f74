import type { DetectorId, Mode, VerdictAction, VerdictOutcome, VerdictPhase } from '@loopwatch/contract';
import type { Mark } from '../calls/mark.ts';
import type { Finding, Step } from './finding.ts';
import { slotOf } from './open-incidents.ts';
import type { Sentence } from './quoted-calls.ts';

/** What a detector has to say of its loop as it is now: a finding, but for what the incident itself knows. */
export type Account<D extends DetectorId> = Omit<
  Finding<D>,
  'phase' | 'action' | 'outcome' | 'count' | 'since' | 'key' | 'windowMs' | 'period' | 'tool'
> &
  Partial<Pick<Finding<D>, 'key' | 'windowMs' | 'period' | 'tool'>>;

/**
 * The life of one loop: opened, escalated as it goes on, resolved when the pattern ends. A repetition is news when it
 * opens the incident, when it comes although the model was given a chance, and at each doubling of the threshold.
 */
export class Incident<D extends DetectorId> {
  readonly since: Mark;
  readonly mode: Mode;
  action: VerdictAction = 'none';
  count = 0;
  private nextLevel: number;
  /** What tells it apart from other open ones; found out when it is first needed. */
  private slot: string | undefined;

  constructor(mode: Mode, threshold: number, since: Mark) {
    this.mode = mode;
    this.since = since;
    this.nextLevel = threshold;
  }

  /** Notes that the pattern holds with this count. @returns the phase to report, or undefined when it is no news. */
  repeat(count: number): VerdictPhase | undefined {
    this.count = count;
    const opening = this.action === 'none';
    const chanceMissed = this.action === 'chance';
    const levelReached = count >= this.nextLevel;
    while (this.nextLevel <= count) this.nextLevel *= 2;
    if (opening) {
      this.action = this.mode === 'chance_then_block' ? 'chance' : this.mode;
      return 'opened';
    }
    if (chanceMissed) this.action = 'block';
    return chanceMissed || levelReached ? 'escalated' : undefined;
  }

  /** The pattern holds with this count, which is told where it is news. */
  report(step: Pick<Step, 'emit' | 'goOn'>, count: number, account: () => Account<D>): void {
    const phase = this.repeat(count);
    if (phase !== undefined) step.emit(this.finding(phase, account()));
    else step.goOn((this.slot ??= slotOf({ key: '', ...account() })), count);
  }

  /** The finding that says how the incident stands; what the account leaves out is as most have it. */
  finding(phase: VerdictPhase, { guidance, evidence, ...account }: Account<D>): Finding<D> {
    const { action, count, since } = this;
    this.slot = slotOf({ key: '', ...account });
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

  /** The finding that ends the incident. */
  resolution(account: Account<D>, outcome: VerdictOutcome, told: Sentence): Finding<D> {
    return { ...this.finding('resolved', account), action: 'none', outcome, ...told };
  }

  snapshot(): IncidentSnapshot {
    const { since, mode, action, count, nextLevel } = this;
    return { since, mode, action, count, nextLevel };
  }

  static restore<D extends DetectorId>(snapshot: IncidentSnapshot): Incident<D> {
    const incident = new Incident<D>(snapshot.mode, snapshot.nextLevel, snapshot.since);
    incident.action = snapshot.action;
    incident.count = snapshot.count;
    return incident;
  }
}

export interface IncidentSnapshot {
  readonly since: Mark;
  readonly mode: Mode;
  readonly action: VerdictAction;
  readonly count: number;
  readonly nextLevel: number;
}
