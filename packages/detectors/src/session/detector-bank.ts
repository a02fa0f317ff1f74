import type { AgentEvent, KnownEvent, VerdictOutcome } from '@loopwatch/contract';
import type { CallHistory, HistorySnapshot } from '../calls/call-history.ts';
import type { Mark } from '../calls/mark.ts';
import type { Semantic } from '../detectors/semantic/semantic.ts';
import type { SemanticLayer } from '../detectors/semantic/semantic-layer.ts';
import type { BankSnapshot, Detector, EventStep, Finding } from '../incident/finding.ts';
import type { OpenIncidents } from '../incident/open-incidents.ts';
import type { DetectionPlan, PlannedDetector } from '../plan/plan.ts';
import type { SessionTotals } from './session-account.ts';

/**
 * The detectors of one session and their shared call history. One slot per detector of the registry, up to the last
 * that is on; `null` if it is off or has not been created yet.
 */
export class DetectorBank {
  calls: CallHistory | null;
  /** The detector that asks a model, if it is on; its questions cannot be revoked. */
  semantic: Semantic | null = null;
  readonly #layer: SemanticLayer | null;
  #plan: DetectionPlan;
  #detectors: (Detector | null)[];

  constructor(plan: DetectionPlan, layer: SemanticLayer | null) {
    this.#layer = layer;
    this.#plan = plan;
    this.#detectors = this.#createDetectors(plan);
    this.calls = createHistory(plan);
  }

  /** Passes the event to each detector in registry order, which is the order of their verdicts. */
  push(step: EventStep): void {
    const { calls } = this;
    const detectors = this.#detectors;
    const plan = this.#plan;
    const { type } = step.event;
    calls?.push(step);
    if (calls?.settled) {
      for (let slot = 0; slot < detectors.length; slot += 1) this.#reader(slot, type)?.push(step);
    } else {
      for (const slot of plan.readers.get(type) ?? plan.readersOfAll) this.#reader(slot, type)?.push(step);
    }
  }

  /** The detector of a slot, created if events of this type are the first that it needs. */
  #reader(slot: number, type: string): Detector | null | undefined {
    const detector = this.#detectors[slot];
    if (detector !== null || this.#plan.detectors[slot]?.definition.startsAt !== type) return detector;
    this.#start(slot);
    return this.#detectors[slot];
  }

  /** The open incidents as of now, except those that have not changed since their latest report. */
  current(): Finding[] {
    return this.#detectors.flatMap((detector) => detector?.current?.() ?? []);
  }

  close(step: EventStep, outcome: VerdictOutcome): void {
    for (const detector of this.#detectors) detector?.close(step, outcome);
  }

  /** Closes the detectors whose conclusions can be revoked. */
  closeRevocable(step: EventStep): void {
    for (const detector of this.#detectors) if (isRevocable(detector)) detector?.close(step, 'recovered');
  }

  /** State of the revocable detectors; functions complete it when it is needed. */
  checkpoint(): unknown[] {
    return this.#detectors.map((detector) => {
      if (detector === null || !isRevocable(detector)) return null;
      return detector.checkpoint === undefined ? detector.snapshot() : detector.checkpoint();
    });
  }

  /** Restores an earlier state of the revocable detectors. */
  rewind(plan: DetectionPlan, states: readonly unknown[], history: HistorySnapshot | null): void {
    const { semantic } = this;
    const detectors = this.#detectors;
    this.#detectors = this.#createDetectors(plan).map((made, i) =>
      isRevocable(detectors[i] ?? null) ? made : (detectors[i] ?? null),
    );
    this.semantic = semantic;
    this.#restoreStates(states);
    this.#restoreCalls(plan, history);
  }

  /** Adopts other settings and keeps the state; incidents end if their detector is now off or works differently. */
  adopt(plan: DetectionPlan, step: EventStep): void {
    const before = this.#detectors;
    const states = before.map((detector) => detector?.snapshot());
    this.#detectors = this.#createDetectors(plan);
    before.forEach((detector, i) => {
      if (detector === null) return;
      this.#start(i);
      if (detector.constructor === this.#detectors[i]?.constructor) return;
      detector.close(step, 'disabled');
      states[i] = null;
    });
    this.#restoreStates(states);
    this.#restoreCalls(plan, this.calls?.snapshot() ?? null);
  }

  snapshot(): BankSnapshot {
    return {
      detectors: this.#detectors.map((detector) => detector?.snapshot() ?? null),
      calls: this.calls?.snapshot() ?? null,
    };
  }

  /** Restores the state of a bank with the same plan into this newly created bank. */
  restore(plan: DetectionPlan, { detectors, calls }: BankSnapshot): void {
    this.#restoreStates(detectors);
    this.#restoreCalls(plan, calls);
  }

  #createDetectors(plan: DetectionPlan): (Detector | null)[] {
    this.#plan = plan;
    this.semantic = null;
    if (!plan.enabled) return [];
    const detectors: (Detector | null)[] = [];
    let last = -1;
    for (const planned of plan.detectors) {
      const isLazy = planned?.definition.startsAt !== undefined;
      const detector = planned === null || isLazy ? null : this.#create(planned);
      if (planned?.definition.id === 'semantic') this.semantic = detector as Semantic | null;
      if (detector !== null || isLazy) last = detectors.length;
      detectors.push(detector);
    }
    detectors.length = last + 1;
    return detectors;
  }

  #create({ definition, options }: PlannedDetector): Detector | null {
    return definition.create(options, this.#plan, this.#layer);
  }

  /** Creates the detector of an empty slot, if it is on. */
  #start(slot: number): void {
    const planned = this.#plan.detectors[slot] ?? null;
    if (planned === null || this.#detectors[slot] !== null) return;
    this.#detectors[slot] = this.#create(planned);
  }

  #restoreStates(states: readonly unknown[]): void {
    for (const [i, state] of states.entries()) {
      if (state === null || state === undefined) continue;
      this.#start(i);
      this.#detectors[i]?.restore(state);
    }
  }

  #restoreCalls(plan: DetectionPlan, history: HistorySnapshot | null): void {
    this.calls = createHistory(plan);
    if (history !== null) this.calls?.restore(history);
  }
}

function isRevocable(detector: Detector | null): boolean {
  return detector?.isRevocable ?? true;
}

/** A history of calls with results is created only if a rule needs both. */
function createHistory(plan: DetectionPlan): CallHistory | null {
  return plan.enabled && plan.createHistory !== null ? plan.createHistory() : null;
}

/**
 * Replaces arguments or results that a producer withholds with the hashes it sends instead. Equal ones are still
 * recognized; similar arguments, error texts and new content in results are not.
 */
export function withHashes(event: AgentEvent): AgentEvent {
  if (event.type === 'tool_call_request') {
    const { argsHash } = event;
    return typeof argsHash === 'string' && event['args'] == null ? { ...event, args: { argsHash } } : event;
  }
  if (event.type === 'tool_result') {
    const { resultHash } = event;
    const isHashed = typeof resultHash === 'string' && event['result'] == null;
    return isHashed ? { ...event, result: `(a result with the hash ${resultHash})` } : event;
  }
  return event;
}

/** A model request, by its number in its prompt. */
export interface TurnRequest {
  readonly number: number;
  readonly allowed: number;
}

const NO_FINDINGS: readonly Finding[] = [];

/** A session's event as it passes through the detectors, with their findings. */
export class SessionStep implements EventStep {
  readonly event: KnownEvent;
  readonly time: number;
  readonly position: number;
  findings = NO_FINDINGS;
  /** US dollars of the turn that the event ends, if its price is known. */
  cost: number | undefined;
  /** The model request that the event starts, if requests are limited. */
  turnRequest: TurnRequest | null = null;
  readonly #totals: SessionTotals;
  readonly #bank: DetectorBank;
  readonly #incidents: OpenIncidents;
  #before: Mark | undefined;

  /** The last three are the session's state before the event. */
  constructor(
    event: KnownEvent,
    time: number,
    position: number,
    totals: SessionTotals,
    bank: DetectorBank,
    incidents: OpenIncidents,
  ) {
    this.event = event;
    this.time = time;
    this.position = position;
    this.#totals = totals;
    this.#bank = bank;
    this.#incidents = incidents;
  }

  get calls(): CallHistory | null {
    return this.#bank.calls;
  }

  get contentOffset(): number {
    return this.#totals.contentUnits;
  }

  get thoughtOffset(): number {
    return this.#totals.thoughtUnits;
  }

  mark(): Mark {
    return (this.#before ??= this.#markNow());
  }

  emit(finding: Finding): void {
    this.findings = [...this.findings, finding];
  }

  noteProgress(slot: string, count: number): void {
    this.#incidents.noteProgress(slot, count, this.mark());
  }

  noteEnd(slot: string, until: Mark): void {
    this.#incidents.noteEnd(slot, until);
  }

  noteTurnRequest(number: number, allowed: number): void {
    this.turnRequest = { number, allowed };
  }

  /** Counts the event. @returns the session's marks before and after it */
  count(): { readonly before: Mark; readonly after: Mark } {
    const before = this.mark();
    this.#totals.count(this.event, this.cost);
    return { before, after: this.#markNow() };
  }

  #markNow(): Mark {
    return this.#totals.mark(this.event, this.time, this.position);
  }
}
