import type {
  DetectorId,
  EvidenceOf,
  Mode,
  VerdictAction,
  VerdictOutcome,
  VerdictPhase,
} from '@loopwatch/contract';
import type { Round } from '../calls/call-history.ts';
import type { Mark } from '../calls/mark.ts';
import type { Finding, Step } from './finding.ts';
import { type RoundEvidence, roundEvidence, type Sentence, toolOf, withEnding } from './shown-calls.ts';
import { slotOf } from './verdict.ts';

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

/** Detectors that go by rounds. */
type RoundDetector = 'tool-repeat' | 'tool-cycle' | 'stagnation' | 'outage';

/** What a rule over rounds says of the pattern it sees. */
export interface Pattern<D extends RoundDetector>
  extends Omit<Account<D>, 'detector' | 'tool' | 'evidence' | keyof Sentence>,
    Sentence {
  /** Without what it says of the rounds. */
  readonly evidence: Omit<EvidenceOf<D>, keyof RoundEvidence>;
  readonly count: number;
  readonly mode: Mode;
  /** The rounds that make the pattern, oldest first, as far as they are remembered. */
  readonly rounds: readonly Round[];
  /** Steps of the pattern, where its count is of something else. */
  readonly steps?: number;
  /** Where it began; default: with the first of the rounds. */
  readonly since?: Mark;
}

/** The one open incident of a rule over rounds, and what it was last seen to be. */
export class PatternIncident<D extends RoundDetector> {
  private readonly detector: D;
  private incident: Incident<D> | undefined;
  private pattern: Pattern<D> | undefined;

  constructor(detector: D) {
    this.detector = detector;
  }

  get isOpen(): boolean {
    return this.incident !== undefined;
  }

  /** The pattern of the open incident, as it was last seen. */
  get current(): Pattern<D> | undefined {
    return this.incident === undefined ? undefined : this.pattern;
  }

  /** The pattern holds at this step. @param regrown it has been told of the step already, which has grown since */
  holds(step: Step, pattern: Pattern<D>, regrown = false): void {
    if (regrown && this.incident !== undefined) {
      this.pattern = pattern;
      return;
    }
    const since: Mark = pattern.since ?? pattern.rounds[0]?.calls[0]?.mark ?? step.mark();
    this.incident ??= new Incident(pattern.mode, pattern.threshold, since);
    this.pattern = pattern;
    this.incident.report(step, pattern.count, () => this.account(pattern));
  }

  /** The pattern has ended, if there was one. */
  ends(step: Step, outcome: VerdictOutcome, why = 'something else followed'): void {
    const { incident, pattern } = this;
    if (incident === undefined || pattern === undefined) return;
    this.incident = undefined;
    this.pattern = undefined;
    const { reason, plainReason, countAt, plainCountAt } = pattern;
    const told = withEnding({ reason, plainReason, countAt, plainCountAt }, why);
    step.emit(incident.resolution(this.account(pattern), outcome, told));
  }

  private account(pattern: Pattern<D>): Account<D> {
    const { rounds, evidence } = pattern;
    const latest = rounds.at(-1);
    const shown = roundEvidence(rounds, pattern.steps ?? pattern.count);
    return {
      ...pattern,
      detector: this.detector,
      tool: latest === undefined ? null : toolOf(latest),
      // The compiler cannot put a generic type together again.
      evidence: { ...evidence, ...shown } as unknown as EvidenceOf<D>,
    };
  }

  snapshot(): PatternSnapshot<D> {
    return { incident: this.incident?.snapshot(), pattern: this.pattern };
  }

  restore({ incident, pattern }: PatternSnapshot<D>): void {
    this.incident = incident && Incident.restore(incident);
    this.pattern = pattern;
  }
}

export interface PatternSnapshot<D extends RoundDetector> {
  readonly incident: IncidentSnapshot | undefined;
  readonly pattern: Pattern<D> | undefined;
}
