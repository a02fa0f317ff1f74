import { type DetectorId, isOpenAfter, isQuiet, mitigationBy, type Verdict } from '@loopwatch/contract';
import type { IncidentLabels, IncidentStates, WorkerMetrics } from './metrics.ts';

/** Maximum distinct values of a label per process; each further one counts as `other`. */
export const MAX_LABEL_VALUES = 20;
const MAX_LABEL_UNITS = 100;

/** Turns names that producers choose into a bounded number of label values. */
export class LabelValues {
  readonly #known = new Set<string>();

  /** The name, `unknown` for an empty or missing one, or `other` once there are too many. */
  of(name: string | null): string {
    if (name === null || name === '') return 'unknown';
    const value = name.slice(0, MAX_LABEL_UNITS);
    if (!this.#known.has(value) && this.#known.size >= MAX_LABEL_VALUES) return 'other';
    this.#known.add(value);
    return value;
  }
}

/** An open incident, as far as the metrics need it. */
export interface OpenIncident {
  readonly id: string;
  readonly detector: Verdict['detector'];
  readonly action: Verdict['action'];
  readonly calls: number;
  readonly tokens: number;
  readonly usd: number;
  readonly agent: string | null;
  readonly model: string | null;
  /** Time of its first verdict; null if unknown. */
  readonly since: number | null;
}

/** Metrics of incidents: which are open, how chances ended, and what loops have used so far. */
export class IncidentMetrics {
  readonly #metrics: WorkerMetrics;
  readonly #open = new Map<string, OpenIncident>();
  /** Detectors that have had any incident. */
  readonly #detectors = new Set<DetectorId>();
  readonly #agents = new LabelValues();
  readonly #models = new LabelValues();
  readonly #tools = new LabelValues();
  /** When the session of each incident was last active, see {@link isQuiet}. */
  readonly #activeAt = new Map<string, number>();

  constructor(metrics: WorkerMetrics) {
    this.#metrics = metrics;
  }

  /** Notes that the sessions of these incidents are active. @param at wall clock, epoch ms */
  noteActivity(incidentIds: Iterable<string>, at: number): void {
    for (const id of incidentIds) if (this.#open.has(id)) this.#activeAt.set(id, at);
  }

  /** Open and quiet incidents by detector. @param now wall clock, epoch ms */
  statesAt(now: number): IncidentStates {
    const open: DetectorId[] = [];
    const quiet: DetectorId[] = [];
    const ages: IncidentStates['ages'][number][] = [];
    for (const incident of this.#open.values()) {
      const lastActivityAt = this.#activeAt.get(incident.id) ?? 0;
      const isActive = !isQuiet({ lastActivityAt }, now);
      (isActive ? open : quiet).push(incident.detector);
      if (!isActive || incident.since === null) continue;
      ages.push({ ...this.#labels(incident), seconds: Math.max(0, now - incident.since) / 1000 });
    }
    return { open, quiet, detectors: this.#detectors, ages };
  }

  /** Counts a verdict that was just committed. */
  count(verdict: Pick<Verdict, CountedField>): void {
    const metrics = this.#metrics;
    const { incidentId, detector, phase, action } = verdict;
    metrics.verdicts.inc({ detector, phase, action });
    const labels = this.#labels(verdict);
    const tool = { tool: this.#tools.of(verdict.tool?.name ?? null) };
    if (phase === 'opened') {
      metrics.loops.inc({ detector, ...labels });
      metrics.byTool.loops.inc(tool);
    }
    if (action === 'warn' || action === 'chance') metrics.warnings.inc();
    if (action === 'block') metrics.blocks.inc();
    const before = this.#open.get(incidentId);
    const mitigation = mitigationBy(before?.action, verdict);
    if (mitigation !== undefined) metrics.mitigations.inc({ outcome: mitigation });
    const after = this.replay(verdict);
    const wasted = { calls: metrics.wastedCalls, tokens: metrics.wastedTokens, usd: metrics.wastedUsd };
    for (const amount of ['calls', 'tokens', 'usd'] as const) {
      const used = after[amount] - (before?.[amount] ?? 0);
      wasted[amount].inc(used);
      // Without usage, a series of zeros for each name is noise.
      if (used === 0) continue;
      metrics.byAgent[amount].inc({ agent: labels.agent, model: labels.model }, used);
      metrics.byTool[amount].inc(tool, used);
    }
  }

  /** Applies a verdict that was committed before, by this worker or another, without counting it again. */
  replay(verdict: Pick<Verdict, CountedField>): OpenIncident {
    const { id, ...reported } = openIncidentOf(verdict);
    const known = this.#open.get(id);
    const calls = Math.max(known?.calls ?? 0, reported.calls);
    const tokens = Math.max(known?.tokens ?? 0, reported.tokens);
    const usd = Math.max(known?.usd ?? 0, reported.usd);
    const since = known?.since ?? reported.since;
    const incident = { id, ...reported, calls, tokens, usd, since };
    if (isOpenAfter(verdict)) this.restore(incident);
    else this.forget(id);
    return incident;
  }

  restore(incident: OpenIncident): void {
    this.#detectors.add(incident.detector);
    this.#open.set(incident.id, incident);
  }

  /**
   * The state of these incidents once a step is committed.
   *
   * @param verdicts of that step; they are counted only then
   */
  openAfter(
    incidentIds: readonly string[],
    verdicts: readonly Pick<Verdict, CountedField>[],
  ): OpenIncident[] {
    const own = verdicts.filter(({ incidentId }) => incidentIds.includes(incidentId)).map(openIncidentOf);
    const known = incidentIds.flatMap((id) => this.#open.get(id) ?? []);
    return [...new Map([...known, ...own].map((incident) => [incident.id, incident])).values()];
  }

  /** No further verdict of the incident will come. */
  forget(incidentId: string): void {
    this.#open.delete(incidentId);
    this.#activeAt.delete(incidentId);
  }

  #labels({ agent, model }: Pick<Verdict, 'agent' | 'model'>): IncidentLabels {
    return { agent: this.#agents.of(agent), model: this.#models.of(model) };
  }
}

type CountedField =
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

/** The state of an incident after a verdict. */
function openIncidentOf({
  incidentId,
  detector,
  action,
  cost,
  agent,
  model,
  time,
}: Pick<Verdict, CountedField>): OpenIncident {
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
