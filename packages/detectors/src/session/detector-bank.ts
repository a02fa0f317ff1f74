import type { VerdictOutcome } from '@loopwatch/contract';
import type { CallHistory, HistorySnapshot } from '../calls/call-history.ts';
import type { Semantic } from '../detectors/semantic/semantic.ts';
import type { SemanticLayer } from '../detectors/semantic/semantic-layer.ts';
import type { Detector, Step } from '../incident/finding.ts';
import type { DetectionPlan, PlannedDetector } from '../plan/plan.ts';

/**
 * The detectors of one session, with the calls that several of them look at. One place per kind, `null` where it is off, up
 * to the last that is on.
 */
export class DetectorBank {
  calls: CallHistory | null;
  /** The detector that asks a model, where it is on: what it asked cannot be taken back. */
  semantic: Semantic | null = null;
  private readonly layer: SemanticLayer | null;
  private detectors: (Detector | null)[];

  constructor(plan: DetectionPlan, layer: SemanticLayer | null) {
    this.layer = layer;
    this.detectors = this.createDetectors(plan);
    this.calls = createHistory(plan);
  }

  /** Hands the event to each, in the order of the registry, which is the order of their verdicts. */
  push(step: Step): void {
    if (this.calls !== null) this.calls.push(step);
    for (const detector of this.detectors) detector?.push(step);
  }

  close(step: Step, outcome: VerdictOutcome): void {
    for (const detector of this.detectors) detector?.close(step, outcome);
  }

  /** Closes those whose conclusions can be taken back. */
  closeRevocable(step: Step): void {
    for (const detector of this.detectors) {
      if (isRevocable(detector)) detector?.close(step, 'recovered');
    }
  }

  /** State of those whose conclusions can be taken back; it ends with the last that has anything to remember. */
  revocableStates(): unknown[] {
    return upToLast(
      this.detectors.map((detector) => (isRevocable(detector) ? (detector?.snapshot() ?? null) : null)),
    );
  }

  /** Goes back to an earlier state, but for what cannot be taken back. */
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

  /** Other settings, the same state; what is open in a detector that is off now, or works otherwise, ends. */
  adopt(plan: DetectionPlan, step: Step): void {
    const before = this.detectors;
    const states = before.map((detector) => detector?.snapshot());
    const next = this.createDetectors(plan);
    before.forEach((detector, i) => {
      if (detector === null || detector.constructor === next[i]?.constructor) return;
      detector.close(step, 'disabled');
      states[i] = null;
    });
    this.detectors = next;
    this.restoreStates(states);
    this.restoreCalls(plan, this.calls?.snapshot() ?? null);
  }

  snapshot(): BankSnapshot {
    return {
      detectors: this.detectors.map((detector) => detector?.snapshot() ?? null),
      calls: this.calls?.snapshot() ?? null,
    };
  }

  /** Takes the state of a bank with the same plan, which this one has just been made with. */
  restore(plan: DetectionPlan, { detectors, calls }: BankSnapshot): void {
    this.restoreStates(detectors);
    this.restoreCalls(plan, calls);
  }

  private createDetectors(plan: DetectionPlan): (Detector | null)[] {
    this.semantic = null;
    if (!plan.enabled) return [];
    const detectors = plan.detectors.map((planned) => {
      const detector = planned && planned.definition.create(planned.options, plan, this.layer);
      if (isSemantic(planned)) this.semantic = detector as Semantic | null;
      return detector;
    });
    return upToLast(detectors);
  }

  private restoreStates(states: readonly unknown[]): void {
    this.detectors.forEach((detector, i) => {
      const state = states[i];
      if (state !== null && state !== undefined) detector?.restore(state);
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

function isSemantic(planned: PlannedDetector | null): boolean {
  return planned?.definition.id === 'semantic';
}

function upToLast<T>(items: readonly (T | null)[]): (T | null)[] {
  return items.slice(0, items.findLastIndex((item) => item !== null) + 1);
}

export interface BankSnapshot {
  readonly detectors: readonly unknown[];
  readonly calls: HistorySnapshot | null;
}

/** Calls are kept with their results only where a rule looks at both. */
function createHistory(plan: DetectionPlan): CallHistory | null {
  return plan.enabled && plan.createHistory !== null ? plan.createHistory() : null;
}
