import type { Verdict } from '@loopwatch/contract';
import type { WorkerMetrics } from './metrics.ts';

/** What the metrics know of an incident that is open. */
export interface OpenIncident {
  readonly id: string;
  readonly detector: Verdict['detector'];
  readonly action: Verdict['action'];
  readonly calls: number;
  readonly tokens: number;
}

/** Keeps the metrics of incidents: which are open, what came of a chance, and what loops have used so far. */
export class IncidentBook {
  private readonly metrics: WorkerMetrics;
  private readonly open = new Map<string, OpenIncident>();

  constructor(metrics: WorkerMetrics) {
    this.metrics = metrics;
  }

  /** Counts a verdict that was just published. */
  note(verdict: Pick<Verdict, NotedKey>): void {
    const { metrics } = this;
    const { incidentId, detector, phase, action, outcome } = verdict;
    metrics.verdicts.inc({ detector, phase, action });
    if (action === 'warn' || action === 'chance') metrics.warnings.inc();
    if (action === 'block') metrics.blocks.inc();
    const before = this.open.get(incidentId);
    if (before?.action === 'chance' && action === 'block') metrics.mitigations.inc({ outcome: 'blocked' });
    if (before?.action === 'chance' && outcome === 'recovered')
      metrics.mitigations.inc({ outcome: 'recovered' });
    const after = this.recall(verdict);
    metrics.wastedCalls.inc(after.calls - (before?.calls ?? 0));
    metrics.wastedTokens.inc(after.tokens - (before?.tokens ?? 0));
  }

  /** Takes in a verdict that was published before, by this worker or another: it is counted already. */
  recall(verdict: Pick<Verdict, NotedKey>): OpenIncident {
    const { id, ...told } = openIncidentOf(verdict);
    const known = this.open.get(id);
    const calls = Math.max(known?.calls ?? 0, told.calls);
    const tokens = Math.max(known?.tokens ?? 0, told.tokens);
    const incident = { id, ...told, calls, tokens };
    if (verdict.phase === 'resolved') this.forget(id);
    else this.restore(incident);
    return incident;
  }

  restore(incident: OpenIncident): void {
    if (!this.open.has(incident.id)) this.metrics.incidentsOpen.inc({ detector: incident.detector });
    this.open.set(incident.id, incident);
  }

  get(incidentId: string): OpenIncident | undefined {
    return this.open.get(incidentId);
  }

  /** The incident will not be heard of again. */
  forget(incidentId: string): void {
    const incident = this.open.get(incidentId);
    if (incident === undefined) return;
    this.open.delete(incidentId);
    this.metrics.incidentsOpen.dec({ detector: incident.detector });
  }
}

type NotedKey = 'incidentId' | 'detector' | 'phase' | 'action' | 'outcome' | 'cost';

/** What a verdict says of its incident. */
export function openIncidentOf({
  incidentId,
  detector,
  action,
  cost,
}: Pick<Verdict, NotedKey>): OpenIncident {
  return { id: incidentId, detector, action, calls: cost.calls, tokens: cost.tokens ?? 0 };
}
