import { type DetectorId, isOpenAfter, isQuiet, mitigationBy, type Verdict } from '@loopwatch/contract';
import { LabelValues } from './label-values.ts';
import type { IncidentLabels, IncidentStates, WorkerMetrics } from './metrics.ts';

/** What the metrics know of an incident that is open. */
export interface OpenIncident {
  readonly id: string;
  readonly detector: Verdict['detector'];
  readonly action: Verdict['action'];
  readonly calls: number;
  readonly tokens: number;
  readonly usd: number;
  readonly agent: string | null;
  readonly model: string | null;
  /** Time of its first verdict; null where that is not known. */
  readonly since: number | null;
}

/** Keeps the metrics of incidents: which are open, what came of a chance, and what loops have used so far. */
export class IncidentBook {
  private readonly metrics: WorkerMetrics;
  private readonly open = new Map<string, OpenIncident>();
  /** Those that have had any. */
  private readonly detectors = new Set<DetectorId>();
  private readonly agents = new LabelValues();
  private readonly models = new LabelValues();
  private readonly tools = new LabelValues();
  /** When the session of each was last active, see {@link isQuiet}. */
  private readonly activeAt = new Map<string, number>();

  constructor(metrics: WorkerMetrics) {
    this.metrics = metrics;
  }

  /** The sessions of these incidents have sent something. @param at wall clock, epoch ms */
  noteActivity(incidentIds: Iterable<string>, at: number): void {
    for (const id of incidentIds) if (this.open.has(id)) this.activeAt.set(id, at);
  }

  /** Those that go on and those that are quiet, each as its detector. @param now wall clock, epoch ms */
  statesAt(now: number): IncidentStates {
    const open: DetectorId[] = [];
    const quiet: DetectorId[] = [];
    const ages: IncidentStates['ages'][number][] = [];
    for (const incident of this.open.values()) {
      const lastActivityAt = this.activeAt.get(incident.id) ?? 0;
      const goesOn = !isQuiet({ lastActivityAt }, now);
      (goesOn ? open : quiet).push(incident.detector);
      if (!goesOn || incident.since === null) continue;
      ages.push({ ...this.labels(incident), seconds: Math.max(0, now - incident.since) / 1000 });
    }
    return { open, quiet, detectors: this.detectors, ages };
  }

  /** Counts a verdict that was just published. */
  note(verdict: Pick<Verdict, NotedKey>): void {
    const { metrics } = this;
    const { incidentId, detector, phase, action } = verdict;
    metrics.verdicts.inc({ detector, phase, action });
    const labels = this.labels(verdict);
    const tool = { tool: this.tools.of(verdict.tool?.name ?? null) };
    if (phase === 'opened') {
      metrics.loops.inc({ detector, ...labels });
      metrics.byTool.loops.inc(tool);
    }
    if (action === 'warn' || action === 'chance') metrics.warnings.inc();
    if (action === 'block') metrics.blocks.inc();
    const before = this.open.get(incidentId);
    const mitigation = mitigationBy(before?.action, verdict);
    if (mitigation !== undefined) metrics.mitigations.inc({ outcome: mitigation });
    const after = this.recall(verdict);
    const wasted = { calls: metrics.wastedCalls, tokens: metrics.wastedTokens, usd: metrics.wastedUsd };
    for (const amount of ['calls', 'tokens', 'usd'] as const) {
      const used = after[amount] - (before?.[amount] ?? 0);
      wasted[amount].inc(used);
      // Without usage, a series of nothing for each name says nothing.
      if (used === 0) continue;
      metrics.byAgent[amount].inc({ agent: labels.agent, model: labels.model }, used);
      metrics.byTool[amount].inc(tool, used);
    }
  }

  /** Takes in a verdict that was published before, by this worker or another: it is counted already. */
  recall(verdict: Pick<Verdict, NotedKey>): OpenIncident {
    const { id, ...told } = openIncidentOf(verdict);
    const known = this.open.get(id);
    const calls = Math.max(known?.calls ?? 0, told.calls);
    const tokens = Math.max(known?.tokens ?? 0, told.tokens);
    const usd = Math.max(known?.usd ?? 0, told.usd);
    const since = known?.since ?? told.since;
    const incident = { id, ...told, calls, tokens, usd, since };
    if (isOpenAfter(verdict)) this.restore(incident);
    else this.forget(id);
    return incident;
  }

  restore(incident: OpenIncident): void {
    this.detectors.add(incident.detector);
    this.open.set(incident.id, incident);
  }

  get(incidentId: string): OpenIncident | undefined {
    return this.open.get(incidentId);
  }

  /** The incident will not be heard of again. */
  forget(incidentId: string): void {
    this.open.delete(incidentId);
    this.activeAt.delete(incidentId);
  }

  private labels({ agent, model }: Pick<Verdict, 'agent' | 'model'>): IncidentLabels {
    return { agent: this.agents.of(agent), model: this.models.of(model) };
  }
}

type NotedKey =
  | 'incidentId'
  | 'detector'
  | 'phase'
  | 'action'
  | 'outcome'
  | 'cost'
  | 'agent'
  | 'model'
  | 'tool'
  | 'time';

/** What a verdict says of its incident. */
export function openIncidentOf({
  incidentId,
  detector,
  action,
  cost,
  agent,
  model,
  time,
}: Pick<Verdict, NotedKey>): OpenIncident {
  return {
    id: incidentId,
    detector,
    action,
    calls: cost.calls,
    tokens: cost.tokens ?? 0,
    usd: cost.usd ?? 0,
    agent,
    model,
    since: time,
  };
}
