import { isOpenAfter, type OpenIncidentSummary, type ThresholdOrigin } from '@loopwatch/contract';
import type { Mark } from '../calls/mark.ts';
import type { Finding } from './finding.ts';
import {
  costSince,
  incidentId,
  type PureVerdict,
  type Scene,
  toVerdict,
  type VerdictSettings,
} from './verdict.ts';

/** What tells an open incident apart from the others, and its id. */
export type IncidentSlot = readonly [slot: string, id: string];
/** An open incident as it is saved; of one that an earlier version saved only slot and id are known. */
export type OpenIncident = readonly [slot: string, id: string, progress?: Progress];

/** How far an incident has got, whether or not that was news. */
interface Progress {
  readonly since: Mark;
  readonly count: number;
  /** Calls in the loop, where it is one of calls. */
  readonly calls: number | undefined;
}

interface Entry {
  readonly id: string;
  readonly progress: Progress | undefined;
}

const NO_INCIDENTS: readonly never[] = [];

/** Tells the incidents apart that can be open at the same time. */
export function slotOf({ detector, key }: Pick<Finding, 'detector' | 'key'>): string {
  return `${detector} ${key}`;
}

/** The incidents of a session that are open now. Most sessions never have any. */
export class OpenIncidents {
  private bySlot: Map<string, Entry> | undefined;

  static of(incidents: readonly OpenIncident[]): OpenIncidents {
    if (incidents.length === 0) return NO_OPEN_INCIDENTS;
    const open = new OpenIncidents();
    open.bySlot = new Map(incidents.map(([slot, id, progress]) => [slot, { id, progress }]));
    return open;
  }

  get ids(): string[] {
    return Array.from(this.bySlot?.values() ?? NO_INCIDENTS, ({ id }) => id);
  }

  id(slot: string): string | undefined {
    return this.bySlot?.get(slot)?.id;
  }

  /** The verdict on a finding, which opens, continues or ends its incident. */
  verdict(finding: Finding, scene: Scene, plan: VerdictSettings, origin: ThresholdOrigin): PureVerdict {
    const slot = slotOf(finding);
    const id = this.id(slot) ?? incidentId(finding, scene);
    if (!isOpenAfter(finding)) this.bySlot?.delete(slot);
    else {
      const { since, count, calls } = finding;
      this.bySlot ??= new Map<string, Entry>();
      this.bySlot.set(slot, { id, progress: { since, count, calls } });
    }
    return toVerdict(finding, scene, id, plan, origin);
  }

  /** The incident went on, which is no news. */
  goOn(slot: string, count: number): void {
    const entry = this.bySlot?.get(slot);
    if (entry?.progress === undefined) return;
    const { since, count: before, calls } = entry.progress;
    // Each repetition of a loop of calls has as many of them.
    const callsNow = calls === undefined ? undefined : Math.round((calls / before) * count);
    this.bySlot?.set(slot, { id: entry.id, progress: { since, count, calls: callsNow } });
  }

  /** How each stands. @param now the session as it is */
  summaries(now: Mark): OpenIncidentSummary[] {
    return Array.from(this.bySlot?.values() ?? NO_INCIDENTS).flatMap(({ id, progress }) =>
      progress === undefined ? [] : [{ id, count: progress.count, cost: costSince(progress, now) }],
    );
  }

  slots(): readonly IncidentSlot[] {
    return this.bySlot === undefined ? NO_INCIDENTS : Array.from(this.bySlot, ([slot, { id }]) => [slot, id]);
  }

  snapshot(): readonly OpenIncident[] {
    if (this.bySlot === undefined) return NO_INCIDENTS;
    return Array.from(this.bySlot, ([slot, { id, progress }]) =>
      progress === undefined ? [slot, id] : [slot, id, progress],
    );
  }
}

/** Shared by the sessions that have none; whoever opens one needs its own. */
export const NO_OPEN_INCIDENTS = new OpenIncidents();
