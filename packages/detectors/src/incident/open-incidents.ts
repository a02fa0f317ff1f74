import { isOpenAfter, type ThresholdOrigin } from '@loopwatch/contract';
import type { Mark } from '../calls/mark.ts';
import type { Finding, IncidentProgress, IncidentSlot, OpenIncident, Scene } from './finding.ts';
import { slotOf } from './incident.ts';
import { incidentId, type PureVerdict, toVerdict, type VerdictSettings } from './verdict.ts';
import { type Coverage, cover, NOTHING_COVERED, NOTHING_USED } from './waste.ts';

const NO_INCIDENTS: readonly never[] = [];

interface Entry {
  readonly id: string;
  readonly progress: IncidentProgress | undefined;
}

/** The open incidents of a session. Most sessions never have any. */
export class OpenIncidents {
  #bySlot: Map<string, Entry> | undefined;
  #coverage = NOTHING_COVERED;

  static of(incidents: readonly OpenIncident[], coverage: Coverage | undefined): OpenIncidents {
    if (incidents.length === 0 && coverage === undefined) return NO_OPEN_INCIDENTS;
    const open = new OpenIncidents();
    open.#coverage = coverage ?? NOTHING_COVERED;
    open.#bySlot = new Map(incidents.map(([slot, id, progress]) => [slot, { id, progress }]));
    return open;
  }

  /** What the session's loops have covered; undefined if there were none. */
  get coverage(): Coverage | undefined {
    return this.#coverage === NOTHING_COVERED ? undefined : this.#coverage;
  }

  get ids(): string[] {
    return Array.from(this.#bySlot?.values() ?? NO_INCIDENTS, ({ id }) => id);
  }

  countOf(incidentId: string): number | undefined {
    for (const { id, progress } of this.#bySlot?.values() ?? NO_INCIDENTS)
      if (id === incidentId) return progress?.count;
    return undefined;
  }

  id(slot: string): string | undefined {
    return this.#bySlot?.get(slot)?.id;
  }

  /** Turns a finding into a verdict and opens, continues or ends its incident. */
  verdict(finding: Finding, scene: Scene, plan: VerdictSettings, origin: ThresholdOrigin): PureVerdict {
    const slot = slotOf(finding);
    const id = this.id(slot) ?? incidentId(finding, scene);
    const { since, count, calls, kind = 'loop' } = finding;
    const before = this.#bySlot?.get(slot)?.progress;
    const until = finding.phase === 'resolved' ? before?.until : undefined;
    const own = kind === 'loop' ? (before?.own ?? NOTHING_USED) : undefined;
    this.#bySlot ??= new Map<string, Entry>();
    this.#bySlot.set(slot, { id, progress: { since, until, count, calls, own } });
    if (own !== undefined) this.#cover(scene.after);
    const wasted = this.#bySlot.get(slot)?.progress?.own;
    if (!isOpenAfter(finding)) this.#bySlot.delete(slot);
    return toVerdict(finding, { wasted, until }, scene, id, plan, origin);
  }

  /** Attributes the session's usage up to now to its open loops. */
  #cover(now: Mark): void {
    const { entries, coverage } = this.coveredAt(now);
    this.#bySlot = entries;
    this.#coverage = coverage;
  }

  /** The incidents by slot, with the session's usage up to now attributed to its open loops. */
  coveredAt(now: Mark): { readonly entries: Map<string, Entry>; readonly coverage: Coverage } {
    const entries = new Map(this.#bySlot);
    let coverage = this.#coverage;
    // Those that opened first come first.
    for (const [slot, { id, progress }] of entries) {
      if (progress?.own === undefined) continue;
      const done = cover(coverage, { ...progress, own: progress.own }, progress.until ?? now);
      coverage = done.coverage;
      entries.set(slot, { id, progress: { ...progress, own: done.own } });
    }
    return { entries, coverage };
  }

  /** Notes that the incident continues, without a report. */
  noteProgress(slot: string, count: number, { eventIndex, time }: Mark): void {
    const entry = this.#bySlot?.get(slot);
    if (entry?.progress === undefined) return;
    const { count: before, calls } = entry.progress;
    // Each repetition of a loop of calls contains the same number of calls.
    const callsNow = calls === undefined ? undefined : Math.round((calls / before) * count);
    this.#bySlot?.set(slot, {
      id: entry.id,
      progress: { ...entry.progress, until: undefined, count, calls: callsNow, latest: { eventIndex, time } },
    });
  }

  /** Notes where the incident ends if nothing continues it. */
  noteEnd(slot: string, until: Mark): void {
    const entry = this.#bySlot?.get(slot);
    if (entry?.progress === undefined || entry.progress.until !== undefined) return;
    this.#bySlot?.set(slot, { id: entry.id, progress: { ...entry.progress, until } });
  }

  slots(): readonly IncidentSlot[] {
    return this.#bySlot === undefined
      ? NO_INCIDENTS
      : Array.from(this.#bySlot, ([slot, { id }]) => [slot, id]);
  }

  snapshot(): readonly OpenIncident[] {
    if (this.#bySlot === undefined) return NO_INCIDENTS;
    return Array.from(this.#bySlot, ([slot, { id, progress }]) =>
      progress === undefined ? [slot, id] : [slot, id, progress],
    );
  }
}

/** Shared by all sessions without incidents; opening one requires an instance of its own. */
export const NO_OPEN_INCIDENTS = new OpenIncidents();
