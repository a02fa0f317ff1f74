import type { EvidenceOf, Mode, VerdictOutcome } from '@loopwatch/contract';
import type { Round } from '../calls/call-history.ts';
import type { Mark } from '../calls/mark.ts';
import type { Step } from './finding.ts';
import { type Account, Incident, type IncidentSnapshot } from './incident.ts';
import { type Sentence, withEnding } from './quoted-calls.ts';
import { type RoundEvidence, roundEvidence, toolOf } from './round-evidence.ts';

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
