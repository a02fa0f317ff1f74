import type { Mode, VerdictAction, VerdictPhase } from '@loopwatch/contract';
import type { Mark } from './mark.ts';

/**
 * The life of one loop: opened, escalated as it goes on, resolved when the pattern ends. A repetition is news when it
 * opens the incident, when it comes although the model was given a chance, and at each doubling of the threshold.
 */
export class Incident {
  readonly since: Mark;
  readonly mode: Mode;
  action: VerdictAction = 'none';
  count = 0;
  private nextLevel: number;

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

  snapshot(): IncidentSnapshot {
    const { since, mode, action, count, nextLevel } = this;
    return { since, mode, action, count, nextLevel };
  }

  static restore(snapshot: IncidentSnapshot): Incident {
    const incident = new Incident(snapshot.mode, snapshot.nextLevel, snapshot.since);
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
