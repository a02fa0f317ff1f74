import {
  type DetectorId,
  isOpenAfter,
  isQuiet,
  mitigationBy,
  type OpenIncidentSummary,
  type Verdict,
  type Waste,
} from '@loopwatch/contract';
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

/** What a loop wasted; nothing for limits and outages. */
interface Use {
  readonly calls: number;
  readonly tokens: number;
  readonly usd: number;
}

const NOTHING_USED: Use = { calls: 0, tokens: 0, usd: 0 };

/** An open incident, as far as the metrics need it. */
export interface OpenIncident extends Use {
  readonly id: string;
  readonly detector: Verdict['detector'];
  readonly action: Verdict['action'];
  readonly agent: string | null;
  readonly model: string | null;
  /** Name of the tool; null if there is none. */
  readonly tool: string | null;
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

  /** Notes that the sessions of these incidents were active. @param at see the contract's `activityAt` */
  noteActivity(incidentIds: Iterable<string>, at: number): void {
    for (const id of incidentIds)
      if (this.#open.has(id)) this.#activeAt.set(id, Math.max(at, this.#activeAt.get(id) ?? 0));
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
    const { incidentId, detector, kind, phase, action } = verdict;
    metrics.verdicts.inc({ detector, phase, action });
    if (phase === 'opened' && kind === 'loop') {
      metrics.loops.inc({ detector, ...this.#labels(verdict) });
      metrics.byTool.loops.inc({ tool: this.#tools.of(verdict.tool?.name ?? null) });
    }
    if (action === 'warn' || action === 'chance') metrics.warnings.inc();
    if (action === 'block') metrics.blocks.inc();
    const before = this.#open.get(incidentId);
    const mitigation = mitigationBy(before?.action, verdict);
    if (mitigation !== undefined) metrics.mitigations.inc({ outcome: mitigation });
    this.#countUse(this.replay(verdict), before);
  }

  /** Counts what open loops wasted since their latest verdict, according to a summary that was just committed. */
  noteUse(summaries: Iterable<Pick<OpenIncidentSummary, 'id' | 'wasted'>>): void {
    for (const { id, wasted } of summaries) {
      const before = this.#open.get(id);
      if (before === undefined || wasted === undefined) continue;
      const after = { ...before, ...atLeast(before, wasted) };
      this.#open.set(id, after);
      this.#countUse(after, before);
    }
  }

  /** Notes what open loops have wasted that another worker, or this one, has counted. */
  restoreUse(summaries: Iterable<Pick<OpenIncidentSummary, 'id' | 'wasted'>>): void {
    for (const { id, wasted } of summaries) {
      const known = this.#open.get(id);
      if (known !== undefined && wasted !== undefined)
        this.#open.set(id, { ...known, ...atLeast(known, wasted) });
    }
  }

  #countUse(after: OpenIncident, before: Use = NOTHING_USED): void {
    const metrics = this.#metrics;
    const wasted = { calls: metrics.wastedCalls, tokens: metrics.wastedTokens, usd: metrics.wastedUsd };
    const labels = this.#labels(after);
    const tool = { tool: this.#tools.of(after.tool) };
    for (const amount of ['calls', 'tokens', 'usd'] as const) {
      const used = after[amount] - before[amount];
      wasted[amount].inc(used);
      // Without usage, a series of zeros for each name is noise.
      if (used === 0) continue;
      metrics.byAgent[amount].inc(labels, used);
      metrics.byTool[amount].inc(tool, used);
    }
  }

  /** Applies a verdict that was committed before, by this worker or another, without counting it again. */
  replay(verdict: Pick<Verdict, CountedField>): OpenIncident {
    const { id, ...reported } = openIncidentOf(verdict);
    const known = this.#open.get(id);
    const since = known?.since ?? reported.since;
    const incident = { id, ...reported, ...atLeast(known, reported), since };
    if (isOpenAfter(verdict)) this.restore(incident);
    else this.forget([id]);
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

  /** No further verdict of these incidents will come. */
  forget(incidentIds: readonly string[]): void {
    for (const id of incidentIds) {
      this.#open.delete(id);
      this.#activeAt.delete(id);
    }
  }

  #labels({ agent, model }: Pick<Verdict, 'agent' | 'model'>): IncidentLabels {
    return { agent: this.#agents.of(agent), model: this.#models.of(model) };
  }
}

type CountedField =
  | 'incidentId'
  | 'detector'
  | 'kind'
  | 'phase'
  | 'action'
  | 'outcome'
  | 'wasted'
  | 'agent'
  | 'model'
  | 'tool'
  | 'time';

/** The state of an incident after a verdict. */
function openIncidentOf({
  incidentId,
  detector,
  action,
  wasted,
  agent,
  model,
  tool,
  time,
}: Pick<Verdict, CountedField>): OpenIncident {
  return {
    id: incidentId,
    detector,
    action,
    ...useOf(wasted),
    agent,
    model,
    tool: tool?.name ?? null,
    since: time,
  };
}

function useOf(wasted: Waste | undefined): Use {
  return wasted === undefined
    ? NOTHING_USED
    : { calls: wasted.calls, tokens: wasted.tokens ?? 0, usd: wasted.usd ?? 0 };
}

/** Counters never decrease. */
function atLeast(known: Use = NOTHING_USED, reported: Use | Waste): Use {
  const { calls, tokens, usd } = useOf(reported);
  return {
    calls: Math.max(known.calls, calls),
    tokens: Math.max(known.tokens, tokens),
    usd: Math.max(known.usd, usd),
  };
}
