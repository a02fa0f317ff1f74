import type { VerdictOutcome } from '@loopwatch/contract';
import type { Detector, DetectorMeta, Step } from './finding.ts';
import { PatternIncident, type PatternSnapshot } from './pattern-incident.ts';
import { namesOf } from './round-evidence.ts';
import type { RoundOptions } from './round-options.ts';
import { closingReason } from './texts.ts';

export const outageMeta: DetectorMeta = {
  id: 'outage',
  title: 'Outage',
  description:
    'Calls fail again and again with rate limits, time-outs or server errors: not the agent’s doing.',
  maturity: 'stable',
};

/** Finds repeated failures of what a tool depends on, so that they are not taken for a loop. */
export class Outage implements Detector {
  private readonly threshold: number;
  private readonly incident = new PatternIncident('outage');
  private count = 0;

  constructor({ threshold }: NonNullable<RoundOptions['outage']>) {
    this.threshold = threshold;
  }

  push(step: Step): void {
    if (step.event.type === 'prompt_started') this.close(step, 'ended');
    const { calls } = step;
    if (!calls?.settled) return;
    if (calls.settled.kind !== 'transient') {
      this.count = 0;
      this.incident.ends(step, 'recovered', 'a call got through, or something else was tried');
      return;
    }
    this.count += 1;
    if (this.count < this.threshold) return;
    this.incident.holds(step, {
      kind: 'outage',
      count: this.count,
      threshold: this.threshold,
      mode: 'warn',
      rounds: calls.rounds.slice(-this.count),
      reason: `${namesOf(calls.settled)} failed ${String(this.count)} times in a row with time-outs, rate limits or server errors`,
      guidance: '',
      evidence: {},
    });
  }

  close(step: Step, outcome: VerdictOutcome): void {
    this.count = 0;
    this.incident.ends(step, outcome, closingReason(outcome));
  }

  snapshot(): { count: number; incident: PatternSnapshot } {
    return { count: this.count, incident: this.incident.snapshot() };
  }

  restore(snapshot: { count: number; incident: PatternSnapshot }): void {
    this.count = snapshot.count;
    this.incident.restore(snapshot.incident);
  }
}
