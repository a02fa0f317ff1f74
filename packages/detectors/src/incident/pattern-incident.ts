import type { EvidenceOf, VerdictOutcome } from '@loopwatch/contract';
import type { Mark } from '../calls/mark.ts';
import { callsIn } from './call-key.ts';
import type { Account, EventStep, Finding, Pattern, PatternSnapshot, RoundDetector } from './finding.ts';
import { Incident, slotOf } from './incident.ts';
import { roundEvidence, toolOf } from './shown-calls.ts';

const NO_FINDINGS: readonly never[] = [];

/** Shared by all rules without an open incident. */
const NO_PATTERN = Object.freeze({ incident: undefined, pattern: undefined });

/** The single open incident of a rule over steps, with its latest pattern. */
export class PatternIncident<D extends RoundDetector> {
  readonly #detector: D;
  #incident: Incident<D> | undefined;
  #pattern: Pattern<D> | undefined;

  constructor(detector: D) {
    this.#detector = detector;
  }

  get isOpen(): boolean {
    return this.#incident !== undefined;
  }

  /** The latest pattern of the open incident. */
  get current(): Pattern<D> | undefined {
    return this.#incident === undefined ? undefined : this.#pattern;
  }

  /**
   * Records that the pattern holds at this step. @param regrown whether the step was already reported and has since
   * grown
   */
  report(step: EventStep, pattern: Pattern<D>, regrown = false): void {
    if (regrown && this.#incident !== undefined) {
      this.#pattern = pattern;
      return;
    }
    const since: Mark = pattern.since ?? pattern.rounds[0]?.calls[0]?.mark ?? step.mark();
    this.#incident ??= new Incident(pattern.mode, pattern.threshold, since);
    this.#pattern = pattern;
    this.#incident.report(step, pattern.count, () => this.#account(pattern));
  }

  /** Notes where the next step starts. If none repeats the pattern again, the loop was over before it. */
  noteStart(step: EventStep): void {
    const pattern = this.current;
    if (pattern === undefined || !step.calls?.started) return;
    step.noteEnd(slotOf({ detector: this.#detector, key: pattern.key ?? '' }), step.calls.started);
  }

  /** Resolves the open incident, if there is one. */
  resolve(step: EventStep, outcome: VerdictOutcome, why = 'the agent moved on'): void {
    const incident = this.#incident;
    const pattern = this.#pattern;
    if (incident === undefined || pattern === undefined) return;
    this.#incident = undefined;
    this.#pattern = undefined;
    step.emit(incident.resolution(this.#account(pattern), outcome, why));
  }

  #account(pattern: Pattern<D>): Account<D> {
    const { rounds, evidence } = pattern;
    const latest = rounds.at(-1);
    const shown = roundEvidence(rounds, pattern.steps ?? pattern.count);
    return {
      ...pattern,
      detector: this.#detector,
      tool: latest === undefined ? null : toolOf(latest),
      repeats: callsIn(rounds),
      // The compiler cannot reassemble the generic type.
      evidence: { ...evidence, ...shown } as unknown as EvidenceOf<D>,
    };
  }

  /** The open incident as it would be reported now. */
  findings(): readonly Finding[] {
    const pattern = this.current;
    return pattern === undefined || this.#incident === undefined
      ? NO_FINDINGS
      : [this.#incident.finding('escalated', this.#account(pattern))];
  }

  snapshot(): PatternSnapshot<D> {
    return this.#incident === undefined
      ? NO_PATTERN
      : { incident: this.#incident.snapshot(), pattern: this.#pattern };
  }

  restore({ incident, pattern }: PatternSnapshot<D>): void {
    this.#incident = incident && Incident.restore(incident);
    this.#pattern = pattern;
  }
}
