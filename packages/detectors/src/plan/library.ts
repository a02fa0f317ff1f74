import type { DetectionSettings, detectionSchema } from '@loopwatch/contract';
import type { CallKnowledge } from '../agents/agent-knowledge.ts';
import type { CallHistory } from '../calls/call-history.ts';
import type { DetectorDefinition } from '../detectors/definition.ts';
import type { Price } from '../prices/price-table.ts';

/** The parts that a package entry detects with, so that a browser bundle contains only what its entry needs. */
export interface Library {
  /** In registry order; `null`: not in this entry. */
  readonly detectors: readonly (DetectorDefinition | null)[];
  /** Support for call results, if a detector of the entry needs them: their interpretation, and a session's history. */
  readonly results: {
    readonly knowledge: (settings: DetectionSettings) => CallKnowledge;
    readonly createHistory: (knowledge: CallKnowledge) => CallHistory;
  } | null;
  /** Model prices; an entry without the table knows only the configured prices. */
  readonly prices: ReadonlyMap<string, Price>;
  /** Validates settings, including a session's: those that need a missing detector are rejected. */
  readonly schema: typeof detectionSchema;
}
