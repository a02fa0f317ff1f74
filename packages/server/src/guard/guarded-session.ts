import type { AgentEvent } from '@loopwatch/contract';
import {
  changeBetween,
  type Decision,
  type Detection,
  decide,
  OpenVerdicts,
  type PureVerdict,
  SessionAnalyzer,
} from '@loopwatch/detectors';
import type { OpenIncident } from './open-incidents.ts';

type Call = Parameters<typeof decide>[2];

const NO_SETTINGS: Readonly<Record<string, unknown>> = {};

/**
 * This server's own copy of a session whose agent asks before it calls. The worker judges the same events and has the last
 * word on what is stored; a question cannot wait for it. Both conclude the same, because detection is deterministic.
 */
export class GuardedSession {
  readonly #analyzer: SessionAnalyzer;
  readonly #open = new OpenVerdicts();
  /** Every incident seen so far: of those, this copy knows better than the database whether they are open. */
  readonly #seen = new Set<string>();
  /** Incidents that the user was warned of. */
  readonly #warned = new Set<string>();
  #detection: Detection;
  #own = NO_SETTINGS;
  /** Event time of the latest prompt, epoch ms. */
  #promptedAt = Number.NEGATIVE_INFINITY;

  constructor(id: string, detection: Detection) {
    this.#detection = detection;
    this.#analyzer = new SessionAnalyzer(id, detection);
  }

  /** Goes by other settings from now on. */
  adopt(detection: Detection, own: Readonly<Record<string, unknown>>): void {
    if (detection !== this.#detection) {
      this.#detection = detection;
      this.#analyzer.adopt(detection);
    }
    const change = changeBetween(this.#own, own);
    if (change === undefined) return;
    this.#own = own;
    const { set, unset } = change;
    this.take({ type: 'control', set, unset: [...unset] }, this.#analyzer.lastTime);
  }

  /**
   * @param now time of an event that has none, epoch ms
   * @returns undefined where the event is known already
   */
  take(event: AgentEvent, now: number): readonly PureVerdict[] | undefined {
    const { verdicts, isDuplicate, abandoned } = this.#analyzer.push(event, now);
    if (isDuplicate) return undefined;
    if (event.type === 'prompt_started') this.#promptedAt = this.#analyzer.lastTime;
    if (abandoned.length > 0) this.#open.clear();
    this.#open.note(verdicts);
    for (const { incidentId } of verdicts) this.#seen.add(incidentId);
    return verdicts;
  }

  decide(call: Call, now: number): Decision {
    return decide(this.#analyzer, this.#open.verdicts, call, now);
  }

  /** Whether the user has not been warned of this incident yet; from now on, they have. */
  warnOf(incidentId: string): boolean {
    return !this.#warned.has(incidentId) && this.#warned.add(incidentId).size > 0;
  }

  /** Whether an incident that is open by what is stored is not: it was followed here, or a prompt has begun since. */
  isOver({ id, lastAt, endsWithPrompt }: OpenIncident): boolean {
    return this.#seen.has(id) || (endsWithPrompt && lastAt < this.#promptedAt);
  }
}
