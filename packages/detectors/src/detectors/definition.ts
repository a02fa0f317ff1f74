import type { DetectionSettings, DetectorId, KnownEvent } from '@loopwatch/contract';
import type { CallKnowledge } from '../agents/agent-knowledge.ts';
import type { Detector } from '../incident/finding.ts';
import type { Switchable } from '../lib/is-on.ts';
import type { Privacy } from '../privacy/mask.ts';
import type { Preset } from '../settings/presets.ts';
import type { SemanticLayer } from './semantic/semantic-layer.ts';
import type { ToolRepeatPlan } from './tool-repeat/options.ts';

/** What the options of a detector are made of. */
export interface OptionSources {
  readonly settings: DetectionSettings;
  readonly preset: Preset;
  /** What holds for calls that repeat; the mode of detectors that have none of their own. */
  readonly calls: ToolRepeatPlan;
  /** Whether there is a model to answer the checks of the semantic layer. */
  readonly judged: boolean;
}

/** What all detectors of a session share. */
export interface SharedParts {
  /** `null`: results are not looked at, and calls alone decide. */
  readonly knowledge: CallKnowledge | null;
  readonly privacy: Privacy;
}

/**
 * One kind of loop that Loopwatch can find: how its options come from the settings, and how it is made. Its title, its colour
 * and the meaning of its settings stand in the contract under the same id.
 */
export interface DetectorDefinition<Options = unknown> {
  readonly id: DetectorId;
  /** Its block of settings, if it needs results: a session keeps them as soon as one such detector is wanted. */
  readonly needsResults?: (settings: DetectionSettings) => Switchable;
  /** The type of event before which it has nothing to do: a session creates it when the first one comes. */
  readonly startsAt?: KnownEvent['type'];
  /** Its options with the preset applied; `null`: it is off. */
  options(sources: OptionSources): Options | null;
  /** What of the options tells one configuration from another; default: all. */
  hashed?(options: Options): unknown;
  /** The effective values of its block's keys, set or not; undefined for keys without a value. */
  effective(options: Options | null, sources: OptionSources): Readonly<Record<string, unknown>>;
  /**
   * A detector for one session; `null` where something that it needs is missing.
   *
   * @param layer what asks a model, where there is one
   */
  create(options: Options, shared: SharedParts, layer: SemanticLayer | null): Detector | null;
}
