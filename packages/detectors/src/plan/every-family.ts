import { type DetectionSettings, detectionSchema } from '@loopwatch/contract';
import type { SemanticLayer } from '../detectors/semantic/semantic-layer.ts';
import { FoldedIndex } from '../text/folded-index.ts';
import { type Detection, makeDetection } from './detection.ts';
import type { Families } from './families.ts';
import { makePlan } from './make-plan.ts';
import type { DetectionPlan } from './plan.ts';
import { roundRules } from './round-rules.ts';

/** All that can be detected. */
const everyFamily: Families = {
  rounds: roundRules,
  folded: (rule) => new FoldedIndex(rule),
  schema: detectionSchema,
};

/** @param semantic the semantic layer, where somebody answers its checks; without it, it is off */
export function detectionOf(settings: DetectionSettings, semantic: SemanticLayer | null = null): Detection {
  return makeDetection(settings, everyFamily, semantic);
}

/** @param judged whether there is a model to answer the checks of the semantic layer; without one it is off */
export function planDetection(settings: DetectionSettings, judged = false): DetectionPlan {
  return makePlan(settings, everyFamily, judged);
}
