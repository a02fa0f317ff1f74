import type { VerdictOutcome } from '@loopwatch/contract';
import type { CallHistory, HistorySnapshot } from '../calls/call-history.ts';
import type { Semantic } from '../detectors/semantic/semantic.ts';
import type { SemanticLayer } from '../detectors/semantic/semantic-layer.ts';
import type { Detector, EventStep } from '../incident/finding.ts';
import type { DetectionPlan, PlannedDetector } from '../plan/plan.ts';

/**
 * The detectors of one session and their shared call history. One slot per detector of the registry, up to the last
 * that is on; `null` if it is off or has not been created yet.
 */
export class DetectorBank {
  calls: CallHistory | null;
  /** The detector that asks a model, if it is on; its questions cannot be revoked. */
  semantic: Semantic | null = null;
  private readonly layer: SemanticLayer | null;
  private plan: DetectionPlan;
  private detectors: (Detector | null)[];

  constructor(plan: DetectionPlan, layer: SemanticLayer | null) {
    this.layer = layer;
    this.plan = plan;
    this.detectors = this.createDetectors(plan);
    this.calls = createHistory(plan);
  }

  /** Passes the event to each detector in registry order, which is the order of their verdicts. */
  push(step: EventStep): void {
    const { calls, detectors, plan } = this;
    const { type } = step.event;
    calls?.push(step);
    if (calls?.settled) {
      for (let slot = 0; slot < detectors.length; slot += 1) this.reader(slot, type)?.push(step);
    } else {
      for (const slot of plan.readers.get(type) ?? plan.readersOfAll) this.reader(slot, type)?.push(step);
    }
  }

  /** The detector of a slot, created if events of this type are the first that it needs. */
  private reader(slot: number, type: string): Detector | null | undefined {
    const detector = this.detectors[slot];
    if (detector !== null || this.plan.detectors[slot]?.definition.startsAt !== type) return detector;
    this.start(slot);
    return this.detectors[slot];
  }

  close(step: EventStep, outcome: VerdictOutcome): void {
    for (const detector of this.detectors) detector?.close(step, outcome);
  }

  /** Closes the detectors whose conclusions can be revoked. */
  closeRevocable(step: EventStep): void {
    for (const detector of this.detectors) {
      if (isRevocable(detector)) detector?.close(step, 'recovered');
    }
  }

  /** State of the revocable detectors, to be completed by {@link statesOf}. */
  checkpoint(): unknown[] {
    return this.detectors.map((detector) => {
      if (detector === null || !isRevocable(detector)) return null;
      return detector.checkpoint === undefined ? detector.snapshot() : detector.checkpoint();
    });
  }

  /** Restores an earlier state of the revocable detectors. */
  rewind(plan: DetectionPlan, states: readonly unknown[], history: HistorySnapshot | null): void {
    const { detectors, semantic } = this;
    this.detectors = this.createDetectors(plan).map((made, i) => {
      const before = detectors[i] ?? null;
      return isRevocable(before) ? made : before;
    });
    this.semantic = semantic;
    this.restoreStates(states);
    this.restoreCalls(plan, history);
  }

  /** Adopts other settings and keeps the state; incidents end if their detector is now off or works differently. */
  adopt(plan: DetectionPlan, step: EventStep): void {
    const before = this.detectors;
    const states = before.map((detector) => detector?.snapshot());
    this.detectors = this.createDetectors(plan);
    before.forEach((detector, i) => {
      if (detector === null) return;
      this.start(i);
      if (detector.constructor === this.detectors[i]?.constructor) return;
      detector.close(step, 'disabled');
      states[i] = null;
    });
    this.restoreStates(states);
    this.restoreCalls(plan, this.calls?.snapshot() ?? null);
  }

  snapshot(): BankSnapshot {
    return {
      detectors: this.detectors.map((detector) => detector?.snapshot() ?? null),
      calls: this.calls?.snapshot() ?? null,
    };
  }

  /** Restores the state of a bank with the same plan into this newly created bank. */
  restore(plan: DetectionPlan, { detectors, calls }: BankSnapshot): void {
    this.restoreStates(detectors);
    this.restoreCalls(plan, calls);
  }

  private createDetectors(plan: DetectionPlan): (Detector | null)[] {
    this.plan = plan;
    this.semantic = null;
    if (!plan.enabled) return [];
    const detectors: (Detector | null)[] = [];
    let last = -1;
    for (const planned of plan.detectors) {
      const isLazy = planned?.definition.startsAt !== undefined;
      const detector = planned === null || isLazy ? null : this.create(planned);
      if (planned?.definition.id === 'semantic') this.semantic = detector as Semantic | null;
      if (detector !== null || isLazy) last = detectors.length;
      detectors.push(detector);
    }
    detectors.length = last + 1;
    return detectors;
  }

  private create({ definition, options }: PlannedDetector): Detector | null {
    return definition.create(options, this.plan, this.layer);
  }

  /** Creates the detector of an empty slot, if it is on. */
  private start(slot: number): void {
    const planned = this.plan.detectors[slot] ?? null;
    if (planned === null || this.detectors[slot] !== null) return;
    this.detectors[slot] = this.create(planned);
  }

  private restoreStates(states: readonly unknown[]): void {
    states.forEach((state, i) => {
      if (state === null || state === undefined) return;
      this.start(i);
      this.detectors[i]?.restore(state);
    });
  }

  private restoreCalls(plan: DetectionPlan, history: HistorySnapshot | null): void {
    this.calls = createHistory(plan);
    if (history !== null) this.calls?.restore(history);
  }
}

function isRevocable(detector: Detector | null): boolean {
  return detector?.isRevocable ?? true;
}

/** The states of a checkpoint, up to the last detector that has one. */
export function statesOf(checkpoint: readonly unknown[]): readonly unknown[] {
  const states = checkpoint.map((state) =>
    typeof state === 'function' ? (state as () => unknown)() : state,
  );
  return states.slice(0, states.findLastIndex((state) => state !== null) + 1);
}

export interface BankSnapshot {
  readonly detectors: readonly unknown[];
  readonly calls: HistorySnapshot | null;
}

/** A history of calls with results is created only if a rule needs both. */
function createHistory(plan: DetectionPlan): CallHistory | null {
  return plan.enabled && plan.createHistory !== null ? plan.createHistory() : null;
}
