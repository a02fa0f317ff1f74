import type { Verdict } from '@loopwatch/contract';
import type { WorkerMetrics } from './metrics.ts';

interface OpenIncident {
  readonly detector: Verdict['detector'];
  action: Verdict['action'];
  calls: number;
  tokens: number;
}

/** Keeps the metrics of incidents: which are open, what came of a chance, and what loops have used so far. */
export class IncidentBook {
  private readonly metrics: WorkerMetrics;
  private readonly open = new Map<string, OpenIncident>();

  constructor(metrics: WorkerMetrics) {
    this.metrics = metrics;
  }

  note({ incidentId, detector, phase, action, outcome, cost }: Pick<Verdict, NotedKey>): void {
    const { metrics } = this;
    metrics.verdicts.inc({ detector, phase, action });
    if (action === 'warn' || action === 'chance') metrics.warnings.inc();
    if (action === 'block') metrics.blocks.inc();
    const known = this.open.get(incidentId);
    const incident: OpenIncident = known ?? { detector, action, calls: 0, tokens: 0 };
    if (known === undefined) {
      this.open.set(incidentId, incident);
      metrics.incidentsOpen.inc({ detector });
    }
    if (incident.action === 'chance' && action === 'block') metrics.mitigations.inc({ outcome: 'blocked' });
    if (incident.action === 'chance' && outcome === 'recovered')
      metrics.mitigations.inc({ outcome: 'recovered' });
    incident.action = action;
    metrics.wastedCalls.inc(Math.max(0, cost.calls - incident.calls));
    metrics.wastedTokens.inc(Math.max(0, (cost.tokens ?? 0) - incident.tokens));
    incident.calls = Math.max(incident.calls, cost.calls);
    incident.tokens = Math.max(incident.tokens, cost.tokens ?? 0);
    if (phase === 'resolved') this.forget(incidentId);
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
