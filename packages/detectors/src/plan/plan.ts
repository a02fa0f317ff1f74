import type { DetectorId } from '@loopwatch/contract';
import type { CallKnowledge } from '../agents/agent-knowledge.ts';
import type { CallHistory } from '../calls/call-history.ts';
import type { DetectorDefinition } from '../detectors/definition.ts';
import type { ToolRepeatPlan } from '../detectors/tool-repeat/options.ts';
import type { VerdictSettings } from '../incident/verdict.ts';
import type { PriceBook } from '../prices/price-book.ts';

/** A detector that is on, with its options. */
export interface PlannedDetector {
  readonly definition: DetectorDefinition;
  readonly options: unknown;
}

/** Detection settings with the preset applied; one object shared by all sessions with these settings. */
export interface DetectionPlan extends ToolRepeatPlan, VerdictSettings {
  readonly enabled: boolean;
  readonly idleMs: number;
  /** Denied calls of one loop after which the turn ends. */
  readonly stopAfterDenials: number;
  /** Whether an agent that can asks its user when a budget or limit is spent. */
  readonly asksOnBudget: boolean;
  /** In registry order, which is the order of their verdicts; `null`: off. */
  readonly detectors: readonly (PlannedDetector | null)[];
  /** Slots of the detectors that process events of a type; without an entry, {@link readersOfAll} do. */
  readonly readers: ReadonlyMap<string, readonly number[]>;
  readonly readersOfAll: readonly number[];
  /** The detectors that are on, regardless of whether detection as a whole is. */
  readonly on: ReadonlySet<DetectorId>;
  /** Knowledge of calls: which arguments identify them, and what their results mean. */
  readonly knowledge: CallKnowledge;
  /** Whether calls are compared with their results; otherwise calls alone decide. */
  readonly comparesResults: boolean;
  /** `null` if results are not compared. */
  createHistory: (() => CallHistory) | null;
  readonly prices: PriceBook;
}
