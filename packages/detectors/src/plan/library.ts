import type { DetectionSettings, detectionSchema } from '@loopwatch/contract';
import type { CallKnowledge } from '../agents/agent-knowledge.ts';
import type { CallHistory } from '../calls/call-history.ts';
import type { DetectorDefinition } from '../detectors/definition.ts';
import type { Price } from '../prices/price-table.ts';

/** What an entry of the library detects with, so that a page's bundle holds only what its entry needs. */
export interface Library {
  /** In the order of the registry; `null`: not in this entry. */
  readonly detectors: readonly (DetectorDefinition | null)[];
  /** Results of calls, where a detector of the entry needs them: what they are read by, and what keeps a session's. */
  readonly results: {
    readonly knowledge: (settings: DetectionSettings) => CallKnowledge;
    readonly createHistory: (knowledge: CallKnowledge) => CallHistory;
  } | null;
  /** What models cost; an entry without the table knows the prices of the configuration alone. */
  readonly prices: ReadonlyMap<string, Price>;
  /** Checks settings, those of a session too: what needs a detector that is missing is refused. */
  readonly schema: typeof detectionSchema;
}
