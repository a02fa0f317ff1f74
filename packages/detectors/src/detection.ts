import { type DetectionSettings, detectionSettings } from '@loopwatch/contract';
import { withModel } from './effective-settings.ts';
import { type DetectionPlan, planDetection } from './plan.ts';

/** Detection settings together with the plan made of them; shared by all sessions that have no settings of their own. */
export interface Detection {
  readonly settings: DetectionSettings;
  readonly plan: DetectionPlan;
  /** Whether somebody answers the checks of the semantic layer; without one it is off. */
  readonly judged: boolean;
  /** Those of single models, by backend and model; none where all have the same. */
  readonly tiers?: ReadonlyMap<string, Detection>;
  /** Of a model's detection: the one that it is laid over. */
  readonly server?: Detection;
}

export function detectionOf(settings: DetectionSettings, judged = false): Detection {
  const detection = { settings: detectionSettings(settings), plan: planDetection(settings, judged), judged };
  const models = Object.entries(settings.overrides.models);
  if (models.length === 0) return detection;
  const tiers = new Map<string, Detection>();
  const server = { ...detection, tiers };
  for (const [name, own] of models) {
    const tier = withModel(detection.settings, own);
    tiers.set(name, { settings: tier, plan: planDetection(tier, judged), judged, tiers, server });
  }
  return server;
}
