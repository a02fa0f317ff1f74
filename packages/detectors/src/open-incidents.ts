import type { ThresholdOrigin } from '@loopwatch/contract';
import type { Finding } from './finding.ts';
import type { DetectionPlan } from './plan.ts';
import { incidentId, type PureVerdict, type Scene, toVerdict } from './verdict.ts';

/** An open incident: what tells it apart from the others, and its id. */
export type OpenIncident = readonly [slot: string, id: string];

const NO_INCIDENTS: readonly OpenIncident[] = [];

/** Tells the incidents apart that can be open at the same time. */
export function slotOf({ detector, key }: Finding): string {
  return `${detector} ${key}`;
}

/** The incidents of a session that are open now. Most sessions never have any. */
export class OpenIncidents {
  private bySlot: Map<string, string> | undefined;

  static of(incidents: readonly OpenIncident[]): OpenIncidents {
    if (incidents.length === 0) return NO_OPEN_INCIDENTS;
    const open = new OpenIncidents();
    open.bySlot = new Map(incidents);
    return open;
  }

  get ids(): string[] {
    return [...(this.bySlot?.values() ?? [])];
  }

  id(slot: string): string | undefined {
    return this.bySlot?.get(slot);
  }

  /** The verdict on a finding, which opens, continues or ends its incident. */
  verdict(finding: Finding, scene: Scene, plan: DetectionPlan, origin: ThresholdOrigin): PureVerdict {
    const slot = slotOf(finding);
    const id = this.id(slot) ?? incidentId(finding, scene);
    if (finding.phase === 'resolved') this.bySlot?.delete(slot);
    else (this.bySlot ??= new Map<string, string>()).set(slot, id);
    return toVerdict(finding, scene, id, plan, origin);
  }

  snapshot(): readonly OpenIncident[] {
    return this.bySlot === undefined ? NO_INCIDENTS : [...this.bySlot];
  }
}

/** Shared by the sessions that have none; whoever opens one needs its own. */
export const NO_OPEN_INCIDENTS = new OpenIncidents();
