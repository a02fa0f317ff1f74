import type { VerdictOutcome } from '@loopwatch/contract';
import type { CallKnowledge } from '../../agents/agent-knowledge.ts';
import type { CallHistory } from '../../calls/call-history.ts';
import type { CallStep } from '../../calls/step.ts';
import type { Detector, EventStep, Finding, Pattern, PatternSnapshot } from '../../incident/finding.ts';
import { PatternIncident } from '../../incident/pattern-incident.ts';
import { closingReason, counted, quotedResult, quotedStep, sentence } from '../../incident/shown-calls.ts';

export interface OutageOptions {
  /** Consecutive failures that the agent did not cause. */
  readonly threshold: number;
}

/** Finds repeated failures of a tool's dependencies, so that they are not mistaken for a loop. */
export class Outage implements Detector {
  readonly #threshold: number;
  readonly #knowledge: CallKnowledge;
  readonly #incident = new PatternIncident('outage');
  #count = 0;
  /** `count` before the latest step. */
  #countBefore = 0;

  constructor({ threshold }: OutageOptions, knowledge: CallKnowledge) {
    this.#threshold = threshold;
    this.#knowledge = knowledge;
  }

  push(step: EventStep): void {
    const { calls } = step;
    if (calls?.settled) this.#onStepSettled(step, calls, calls.settled);
    if (calls?.prompts.startsOver) this.close(step, 'ended');
  }

  #onStepSettled(step: EventStep, calls: CallHistory, settled: CallStep): void {
    if (waitsByItself(settled)) return;
    this.#countBefore = calls.regrown ? this.#countBefore : this.#count;
    if (settled.kind !== 'transient') {
      this.#count = 0;
      this.#incident.resolve(
        step,
        'recovered',
        settled.kind === 'error' ? 'a call failed for another reason' : 'a call succeeded',
      );
      return;
    }
    this.#count = this.#countBefore + 1;
    if (this.#count < this.#threshold) return;
    const pattern: Pattern<'outage'> = {
      kind: 'outage',
      count: this.#count,
      threshold: this.#threshold,
      thresholdOf: { setting: 'outage.min_failures', value: this.#threshold },
      mode: 'warn',
      rounds: calls.rounds.slice(-this.#count),
      ...sentence`${counted(this.#count)} steps in a row failed with timeouts, rate limits or server errors, most recently ${quotedStep(settled)}${quotedResult(settled.calls[0], this.#knowledge.agents)}`,
      guidance: '',
      evidence: {},
    };
    this.#incident.report(step, pattern, calls.regrown);
  }

  current(): readonly Finding[] {
    return this.#incident.findings();
  }

  close(step: EventStep, outcome: VerdictOutcome): void {
    this.#count = 0;
    this.#countBefore = 0;
    this.#incident.resolve(step, outcome, closingReason(outcome));
  }

  snapshot(): OutageSnapshot {
    const count = this.#count;
    const countBefore = this.#countBefore;
    return { count, countBefore, incident: this.#incident.snapshot() };
  }

  restore(snapshot: OutageSnapshot): void {
    this.#count = snapshot.count;
    this.#countBefore = snapshot.countBefore;
    this.#incident.restore(snapshot.incident);
  }
}

/** A loop of the agent's own that waits for something: its timeout says nothing about the network. */
const WAITS = /\b(?:until|while)\b[^]*\bsleep\b/i;

function waitsByItself({ calls }: CallStep): boolean {
  return calls.every(({ nature, identity }) => nature.runs && WAITS.test(identity.arguments));
}

interface OutageSnapshot {
  readonly count: number;
  readonly countBefore: number;
  readonly incident: PatternSnapshot<'outage'>;
}
