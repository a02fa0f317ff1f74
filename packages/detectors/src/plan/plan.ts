import type { DetectorId, KnownEvent } from '@loopwatch/contract';
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

/** Detection settings made ready to run: the preset applied, one object shared by all sessions that have them. */
export interface DetectionPlan extends ToolRepeatPlan, VerdictSettings {
  readonly enabled: boolean;
  readonly idleMs: number;
  /** In the order of the registry, which is that of their verdicts; `null`: off. */
  readonly detectors: readonly (PlannedDetector | null)[];
  /** Those that a session creates only when an event of their type comes. */
  readonly lazy: readonly { readonly slot: number; readonly type: KnownEvent['type'] }[];
  /** What is on, detection as a whole aside. */
  readonly on: ReadonlySet<DetectorId>;
  /** `null`: results are not kept, and calls alone decide. */
  readonly knowledge: CallKnowledge | null;
  createHistory: (() => CallHistory) | null;
  readonly prices: PriceBook;
}
