import { type DetectionSettings, type DetectorId, detectorFacts, detectorIds } from '@loopwatch/contract';
import { budget, hasLimit } from '../detectors/budget/index.ts';
import type { DetectorDefinition, OptionSources } from '../detectors/definition.ts';
import { outage } from '../detectors/outage/index.ts';
import { semantic } from '../detectors/semantic/index.ts';
import { stagnation } from '../detectors/stagnation/index.ts';
import { textRepeat } from '../detectors/text-repeat/index.ts';
import { toolCycle } from '../detectors/tool-cycle/index.ts';
import { toolLimit } from '../detectors/tool-limit/index.ts';
import { turnLimit } from '../detectors/turn-limit/index.ts';
import { isOn } from '../lib/is-on.ts';
import { optionSources } from './make-plan.ts';

/**
 * The effective values of unset settings, by dotted path, taken from the options that detection itself uses.
 *
 * @returns a value for each key that a preset or another key decides; undefined if the layer is off
 */
export function effectiveDetectionValues(settings: DetectionSettings): ReadonlyMap<string, unknown> {
  const sources = optionSources(settings, true);
  return new Map(
    detectorIds.flatMap((id) => {
      const values = Object.entries(blockValues[id](sources));
      return values.map(([key, value]): [string, unknown] => [`${detectorFacts[id].block}.${key}`, value]);
    }),
  );
}

type Values = Readonly<Record<string, unknown>>;

/** The values of a detector's block by key, from its options; all but `enabled` are undefined if it is off. */
function valuesOf<Options>(
  definition: DetectorDefinition<Options>,
  values: (options: Partial<Options>) => Values,
): (sources: OptionSources) => Values {
  return (sources) => {
    const options = definition.options(sources);
    return { enabled: options !== null, ...values(options ?? {}) };
  };
}

function textValues(stream: 'content' | 'thought') {
  return valuesOf(textRepeat(stream), ({ window, threshold, maxDistance, mode }) => ({
    window,
    min_repeats: threshold,
    max_distance: maxDistance,
    mode,
  }));
}

const blockValues: { readonly [Id in DetectorId]: (sources: OptionSources) => Values } = {
  'tool-repeat': ({ calls: { tool } }) => ({
    enabled: tool.enabled,
    max_repeats: tool.threshold,
    ttl_seconds: tool.ttlMs === null ? null : tool.ttlMs / 1000,
    mode: tool.mode,
    similarity_threshold: tool.similarity?.threshold,
    'similarity.threshold': tool.similarity?.threshold,
    'similarity.algorithm': tool.similarity?.algorithm,
    'similarity.normalize_whitespace': tool.similarity?.normalizeWhitespace,
    'similarity.ignore_case': tool.similarity?.ignoreCase,
  }),
  outage: valuesOf(outage, ({ threshold }) => ({ min_failures: threshold })),
  'tool-cycle': valuesOf(toolCycle, ({ maxPeriod, threshold, mode }) => ({
    max_period: maxPeriod,
    min_repeats: threshold,
    mode,
  })),
  stagnation: valuesOf(stagnation, (options) => ({
    same_error: options.sameError,
    same_failure: options.sameFailure,
    same_result: options.sameResult,
    same_answer: options.sameAnswer,
    same_prompt: options.samePrompt,
    nothing_new: options.nothingNew,
    mode: options.mode,
  })),
  'content-repeat': textValues('content'),
  'thought-repeat': textValues('thought'),
  semantic: valuesOf(semantic, ({ mode }) => ({ mode })),
  'tool-limit': valuesOf(toolLimit, ({ maxTurns }) => ({ max_turns: maxTurns })),
  'turn-limit': valuesOf(turnLimit, ({ maxRequests }) => ({ max_turn_requests: maxRequests })),
  // A shared budget counts as on, although no single session can enforce it.
  budget: (sources) => {
    const { budget: own } = sources.settings;
    return {
      enabled: isOn(own) && hasLimit(own),
      per: own.per ?? 'session',
      ...budget.options(sources)?.limits,
    };
  },
};
