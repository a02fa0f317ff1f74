import { type DetectionSettings, detectionSettings } from '@loopwatch/contract';
import type { SemanticLayer } from '../detectors/semantic/semantic-layer.ts';
import { withModel } from '../settings/effective-settings.ts';
import { planDetection } from './make-plan.ts';
import type { DetectionPlan } from './plan.ts';

/** Detection settings with the plan derived from them; shared by all sessions without settings of their own. */
export interface Detection {
  readonly settings: DetectionSettings;
  readonly plan: DetectionPlan;
  /** The semantic layer, if its checks are answered. */
  readonly semantic: SemanticLayer | null;
  /** Detections of single models, by backend and model; absent if no model has its own. */
  readonly tiers?: ReadonlyMap<string, Detection>;
  /** For a model's detection: the server's, which it overrides. */
  readonly server?: Detection;
}

/** @param semantic the semantic layer, if its checks are answered; without it the layer is off */
export function detectionOf(settings: DetectionSettings, semantic: SemanticLayer | null = null): Detection {
  const judged = semantic !== null;
  const detection = {
    settings: detectionSettings(settings),
    plan: planDetection(settings, judged),
    semantic,
  };
  const models = Object.entries(settings.overrides.models);
  if (models.length === 0) return detection;
  const tiers = new Map<string, Detection>();
  const server = { ...detection, tiers };
  for (const [name, own] of models) {
    const tier = withModel(detection.settings, own);
    tiers.set(name, { ...server, settings: tier, plan: planDetection(tier, judged), server });
  }
  return server;
}

/** The latest detections by their settings: a caller creates an analyzer per session, mostly with the same settings. */
const known = new Map<string, Detection>();
const MAX_KNOWN = 16;

/** Like {@link detectionOf}, but the same object for equal settings: a plan takes as long as many events. */
export function sharedDetection(settings: DetectionSettings, semantic: SemanticLayer | null): Detection {
  const key = JSON.stringify(settings);
  let detection = known.get(key);
  if (detection?.semantic !== semantic) {
    detection = detectionOf(settings, semantic);
    if (known.size === MAX_KNOWN) known.clear();
    known.set(key, detection);
  }
  return detection;
}
