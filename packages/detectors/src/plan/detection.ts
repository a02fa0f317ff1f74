import {
  type DetectionInput,
  type DetectionSettings,
  detectionSettings,
  type KnownEvent,
} from '@loopwatch/contract';
import { detectionDefinition, parseSettings } from '@loopwatch/contract/internal';
import type { PromptAuthor } from '../calls/prompt-origin.ts';
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
  /** `addPrompt`, if the prompts of its sessions are shown. */
  readonly addPrompt?: AddPrompt | undefined;
  /** Detections of single models, by backend and model; absent if no model has its own. */
  readonly tiers?: ReadonlyMap<string, Detection>;
  /** For a model's detection: the server's, which it overrides. */
  readonly server?: Detection;
}

/**
 * What is kept of a session's prompts, with another one.
 *
 * @param author who wrote it, if calls are considered, which tell that
 */
export type AddPrompt = (
  prompts: string,
  event: Extract<KnownEvent, { type: 'prompt_started' }>,
  author: PromptAuthor | null | undefined,
  plan: DetectionPlan,
) => string;

/**
 * @param settings may contain more than those of detection
 * @param semantic the semantic layer, if its checks are answered; without it the layer is off
 * @param addPrompt `addPrompt`, if the prompts are shown; without it they are not kept, and not bundled
 */
export function detectionOf(
  settings: DetectionSettings,
  semantic: SemanticLayer | null = null,
  addPrompt?: AddPrompt,
): Detection {
  return plannedDetection(detectionSettings(settings), semantic, addPrompt);
}

function plannedDetection(
  settings: DetectionSettings,
  semantic: SemanticLayer | null,
  addPrompt?: AddPrompt,
): Detection {
  const judged = semantic !== null;
  const detection = { settings, plan: planDetection(settings, judged), semantic, addPrompt };
  const models = Object.entries(settings.overrides.models);
  if (models.length === 0) return detection;
  const tiers = new Map<string, Detection>();
  const server = { ...detection, tiers };
  for (const [name, own] of models) {
    const tier = withModel(settings, own);
    tiers.set(name, { ...server, settings: tier, plan: planDetection(tier, judged), server });
  }
  return server;
}

/** The latest detections by their configuration: a caller creates an analyzer per session, mostly with the same one. */
const known = new Map<string, Detection>();
const MAX_KNOWN = 16;

/**
 * Like {@link detectionOf}, but the same object for an equal configuration: parsing it takes as long as several events, and a
 * plan as many.
 *
 * @throws TypeError that names the key, if the configuration is invalid
 */
export function sharedDetection(config: DetectionInput, semantic: SemanticLayer | null): Detection {
  const key = JSON.stringify(config, exactly);
  let detection = known.get(key);
  if (detection?.semantic !== semantic) {
    detection = plannedDetection(parseSettings(detectionDefinition, config), semantic);
    if (known.size === MAX_KNOWN) known.clear();
    known.set(key, detection);
  }
  return detection;
}

/** Invalid numbers have no form in JSON. */
function exactly(_: string, value: unknown): unknown {
  const isInvalid = typeof value === 'number' ? !Number.isFinite(value) : typeof value === 'bigint';
  return isInvalid ? `<${String(value)}>` : value;
}
