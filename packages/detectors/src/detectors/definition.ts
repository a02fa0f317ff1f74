import type { DetectionSettings, DetectorId, KnownEvent } from '@loopwatch/contract';
import type { CallKnowledge } from '../agents/agent-knowledge.ts';
import type { Detector } from '../incident/finding.ts';
import type { Switchable } from '../lib/is-on.ts';
import type { Privacy } from '../privacy/presentable.ts';
import type { Preset } from '../settings/presets.ts';
import type { SemanticLayer } from './semantic/semantic-layer.ts';
import type { ToolRepeatPlan } from './tool-repeat/options.ts';

/** Inputs from which a detector derives its options. */
export interface OptionSources {
  readonly settings: DetectionSettings;
  readonly preset: Preset;
  /** The plan for repeated calls; its mode applies to detectors without a mode of their own. */
  readonly calls: ToolRepeatPlan;
  /** Whether a model is available to answer the checks of the semantic layer. */
  readonly judged: boolean;
}

/** Dependencies shared by all detectors of a session. */
export interface SharedParts {
  readonly knowledge: CallKnowledge;
  /** Whether calls are compared with their results; otherwise calls alone decide. */
  readonly comparesResults: boolean;
  readonly privacy: Privacy;
}

/**
 * One kind of loop that Loopwatch can find: how to derive its options from the settings, and how to create its
 * detector. The contract defines its title, color and settings under the same id.
 */
export interface DetectorDefinition<Options = unknown> {
  readonly id: DetectorId;
  /** Its settings block, if it needs results: a session stores results if any such detector is on. */
  readonly needsResults?: (settings: DetectionSettings) => Switchable;
  /** The event type at which a session creates the detector; before the first one it has nothing to do. */
  readonly startsAt?: KnownEvent['type'];
  /** The types of events that it processes, in addition to those that settle a step of calls; default: all. */
  readonly reads?: readonly KnownEvent['type'][];
  /** Its options with the preset applied; `null` if it is off. */
  options(sources: OptionSources): Options | null;
  /** The part of the options that enters the configuration hash; default: all. */
  hashed?(options: Options): unknown;
  /**
   * Creates the detector of one session; `null` if a dependency is missing.
   *
   * @param layer the semantic layer, if available
   */
  create(options: Options, shared: SharedParts, layer: SemanticLayer | null): Detector | null;
}
