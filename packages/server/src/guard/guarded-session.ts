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
 * The server's own analysis of a session whose agent asks before it calls a tool, because a decision cannot wait for the
 * worker. The worker analyzes the same events and decides what is stored; detection is deterministic, so both agree.
 */
export class GuardedSession {
  readonly #analyzer: SessionAnalyzer;
  readonly #open = new OpenVerdicts();
  /** Every incident seen so far: for these, this analysis is more up to date than the database. */
  readonly #seen = new Set<string>();
  /** Incidents that the user was warned about. */
  readonly #warned = new Set<string>();
  #detection: Detection;
  #overrides = NO_SETTINGS;
  /** Event time of the latest prompt, epoch ms. */
  #promptedAt = Number.NEGATIVE_INFINITY;

  constructor(id: string, detection: Detection) {
    this.#detection = detection;
    this.#analyzer = new SessionAnalyzer(id, detection);
  }

  /** Applies changed settings. */
  adopt(detection: Detection, overrides: Readonly<Record<string, unknown>>): void {
    if (detection !== this.#detection) {
      this.#detection = detection;
      this.#analyzer.adopt(detection);
    }
    const change = changeBetween(this.#overrides, overrides);
    if (change === undefined) return;
    this.#overrides = overrides;
    const { set, unset } = change;
    this.push({ type: 'control', set, unset: [...unset] }, this.#analyzer.lastTime);
  }

  /**
   * @param now time of an event that has none, epoch ms
   * @returns undefined for a duplicate
   */
  push(event: AgentEvent, now: number): readonly PureVerdict[] | undefined {
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

  /** Records that the user was warned about an incident. @returns false when they already were */
  markWarned(incidentId: string): boolean {
    return !this.#warned.has(incidentId) && this.#warned.add(incidentId).size > 0;
  }

  /** Whether to ignore an incident that is stored as open: it was analyzed here, or a prompt has started since. */
  isClosed({ id, lastAt, endsWithPrompt }: OpenIncident): boolean {
    return this.#seen.has(id) || (endsWithPrompt && lastAt < this.#promptedAt);
  }
}
