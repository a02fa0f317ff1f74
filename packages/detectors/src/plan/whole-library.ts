import { type DetectionSettings, detectionSchema } from '@loopwatch/contract';
import { callKnowledge } from '../agents/agent-knowledge.ts';
import { CallHistory } from '../calls/call-history.ts';
import { detectors } from '../detectors/registry.ts';
import type { SemanticLayer } from '../detectors/semantic/semantic-layer.ts';
import { priceTable } from '../prices/price-table.ts';
import { type Detection, makeDetection } from './detection.ts';
import type { Library } from './library.ts';
import { makePlan } from './make-plan.ts';
import type { DetectionPlan } from './plan.ts';

/** The library with all detectors. */
export const wholeLibrary: Library = {
  detectors,
  results: { knowledge: callKnowledge, createHistory: (knowledge) => new CallHistory(knowledge) },
  prices: priceTable,
  schema: detectionSchema,
};

/** @param semantic the semantic layer, if its checks are answered; without it the layer is off */
export function detectionOf(settings: DetectionSettings, semantic: SemanticLayer | null = null): Detection {
  return makeDetection(settings, wholeLibrary, semantic);
}

/**
 * @param judged whether a model is available to answer the checks of the semantic layer; without one the layer is off
 */
export function planDetection(settings: DetectionSettings, judged = false): DetectionPlan {
  return makePlan(settings, wholeLibrary, judged);
}
