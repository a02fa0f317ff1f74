import {
  type DetectorId,
  type EvidenceOf,
  isOpenAfter,
  type Mode,
  type ThresholdOrigin,
  type VerdictAction,
  type VerdictOutcome,
  type VerdictPhase,
} from '@loopwatch/contract';
import type { Mark } from '../calls/mark.ts';
import { callsIn } from './call-key.ts';
import type {
  Account,
  EventStep,
  Finding,
  IncidentProgress,
  IncidentSlot,
  IncidentSnapshot,
  OpenIncident,
  Pattern,
  PatternSnapshot,
  RoundDetector,
  Scene,
} from './finding.ts';
import { roundEvidence, toolOf } from './shown-calls.ts';
import { incidentId, type PureVerdict, toVerdict, type VerdictSettings } from './verdict.ts';
import { type Coverage, cover, NOTHING_COVERED, NOTHING_USED } from './waste.ts';

/**
 * The lifecycle of one loop: opened, escalated while it continues, resolved when the pattern ends. A repetition is
 * reported when it opens the incident, when it follows a chance given to the model, and at each doubling of the
 * threshold.
 */
export class Incident<D extends DetectorId> {
  readonly since: Mark;
  readonly mode: Mode;
  action: VerdictAction = 'none';
  count = 0;
  #nextLevel: number;
  /** Its slot among the open incidents; computed on first use. */
  #slot: string | undefined;

  constructor(mode: Mode, threshold: number, since: Mark) {
    this.mode = mode;
    this.since = since;
    this.#nextLevel = threshold;
  }

  /** Records that the pattern holds with this count. @returns the phase to report; undefined if no report is due */
  repeat(count: number): VerdictPhase | undefined {
    this.count = count;
    const opening = this.action === 'none';
    const chanceMissed = this.action === 'chance';
    const levelReached = count >= this.#nextLevel;
    while (this.#nextLevel <= count) this.#nextLevel *= 2;
    if (opening) {
      this.action = this.mode === 'chance_then_block' ? 'chance' : this.mode;
      return 'opened';
    }
    if (chanceMissed) this.action = 'block';
    return chanceMissed || levelReached ? 'escalated' : undefined;
  }

  /** Records that the pattern holds with this count, and reports it if due. */
  report(step: Pick<EventStep, 'emit' | 'noteProgress'>, count: number, account: () => Account<D>): void {
    const phase = this.repeat(count);
    if (phase !== undefined) step.emit(this.finding(phase, account()));
    else step.noteProgress((this.#slot ??= slotOf({ key: '', ...account() })), count);
  }

  /** The finding for the incident's current state, with defaults for what the account omits. */
  finding(phase: VerdictPhase, { guidance, evidence, ...account }: Account<D>): Finding<D> {
    const { action, count, since } = this;
    this.#slot = slotOf({ key: '', ...account });
    return {
      key: '',
      windowMs: null,
      period: 1,
      tool: null,
      ...account,
      phase,
      action,
      count,
      since,
      ...(phase !== 'resolved' && action !== 'warn' && guidance !== undefined && { guidance }),
      evidence: { ...evidence, lastAction: action },
    };
  }

  /** The finding that ends the incident; its reason ends with `why`. */
  resolution(account: Account<D>, outcome: VerdictOutcome, why: string): Finding<D> {
    const { reason, plainReason = reason } = account;
    return {
      ...this.finding('resolved', account),
      action: 'none',
      outcome,
      reason: `${reason}; ${why}`,
      plainReason: `${plainReason}; ${why}`,
    };
  }

  snapshot(): IncidentSnapshot {
    const { since, mode, action, count } = this;
    const nextLevel = this.#nextLevel;
    return { since, mode, action, count, nextLevel };
  }

  static restore<D extends DetectorId>(snapshot: IncidentSnapshot): Incident<D> {
    const incident = new Incident<D>(snapshot.mode, snapshot.nextLevel, snapshot.since);
    incident.action = snapshot.action;
    incident.count = snapshot.count;
    return incident;
  }
}

const NO_INCIDENTS: readonly never[] = [];

/** Shared by all rules without an open incident. */
const NO_PATTERN = Object.freeze({ incident: undefined, pattern: undefined });

/** The single open incident of a rule over steps, with its latest pattern. */
export class PatternIncident<D extends RoundDetector> {
  readonly #detector: D;
  #incident: Incident<D> | undefined;
  #pattern: Pattern<D> | undefined;

  constructor(detector: D) {
    this.#detector = detector;
  }

  get isOpen(): boolean {
    return this.#incident !== undefined;
  }

  /** The latest pattern of the open incident. */
  get current(): Pattern<D> | undefined {
    return this.#incident === undefined ? undefined : this.#pattern;
  }

  /**
   * Records that the pattern holds at this step. @param regrown whether the step was already reported and has since
   * grown
   */
  report(step: EventStep, pattern: Pattern<D>, regrown = false): void {
    if (regrown && this.#incident !== undefined) {
      this.#pattern = pattern;
      return;
    }
    const since: Mark = pattern.since ?? pattern.rounds[0]?.calls[0]?.mark ?? step.mark();
    this.#incident ??= new Incident(pattern.mode, pattern.threshold, since);
    this.#pattern = pattern;
    this.#incident.report(step, pattern.count, () => this.#account(pattern));
  }

  /** Notes where the next step starts. If none repeats the pattern again, the loop was over before it. */
  noteStart(step: EventStep): void {
    const pattern = this.current;
    if (pattern === undefined || !step.calls?.started) return;
    step.noteEnd(slotOf({ detector: this.#detector, key: pattern.key ?? '' }), step.calls.started);
  }

  /** Resolves the open incident, if there is one. */
  resolve(step: EventStep, outcome: VerdictOutcome, why = 'the agent moved on'): void {
    const incident = this.#incident;
    const pattern = this.#pattern;
    if (incident === undefined || pattern === undefined) return;
    this.#incident = undefined;
    this.#pattern = undefined;
    step.emit(incident.resolution(this.#account(pattern), outcome, why));
  }

  #account(pattern: Pattern<D>): Account<D> {
    const { rounds, evidence } = pattern;
    const latest = rounds.at(-1);
    const shown = roundEvidence(rounds, pattern.steps ?? pattern.count);
    return {
      ...pattern,
      detector: this.#detector,
      tool: latest === undefined ? null : toolOf(latest),
      repeats: callsIn(rounds),
      // The compiler cannot reassemble the generic type.
      evidence: { ...evidence, ...shown } as unknown as EvidenceOf<D>,
    };
  }

  /** The open incident as it would be reported now. */
  findings(): readonly Finding[] {
    const pattern = this.current;
    return pattern === undefined || this.#incident === undefined
      ? NO_INCIDENTS
      : [this.#incident.finding('escalated', this.#account(pattern))];
  }

  snapshot(): PatternSnapshot<D> {
    return this.#incident === undefined
      ? NO_PATTERN
      : { incident: this.#incident.snapshot(), pattern: this.#pattern };
  }

  restore({ incident, pattern }: PatternSnapshot<D>): void {
    this.#incident = incident && Incident.restore(incident);
    this.#pattern = pattern;
  }
}

interface Entry {
  readonly id: string;
  readonly progress: IncidentProgress | undefined;
}

/** The key that distinguishes incidents open at the same time. */
export function slotOf({ detector, key }: Pick<Finding, 'detector' | 'key'>): string {
  return `${detector} ${key}`;
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
