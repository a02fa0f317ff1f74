import type { DetectionSettings, DetectorId, KnownEvent } from '@loopwatch/contract';
import type { OptionSources } from '../detectors/definition.ts';
import { toolRepeatPlan } from '../detectors/tool-repeat/options.ts';
import { canonicalJson } from '../lib/canonical-json.ts';
import { sha256 } from '../lib/digest.ts';
import { isOn } from '../lib/is-on.ts';
import { PriceBook } from '../prices/price-book.ts';
import { privacyOf } from '../privacy/mask.ts';
import { presets } from '../settings/presets.ts';
import type { Library } from './library.ts';
import type { DetectionPlan, PlannedDetector } from './plan.ts';

/**
 * @param library the available detectors; missing ones are left out
 * @param judged whether a model is available to answer the checks of the semantic layer; without one the layer is off
 */
export function makePlan(
  settings: DetectionSettings,
  { detectors, results, prices }: Omit<Library, 'schema'>,
  judged: boolean,
): DetectionPlan {
  const sources = optionSources(settings, judged);
  const planned = detectors.map((definition): PlannedDetector | null => {
    const options = definition?.options(sources) ?? null;
    return definition && options !== null ? { definition, options } : null;
  });
  const needed = detectors.some((one) => one?.needsResults && isOn(one.needsResults(settings)));
  const kept = sources.preset.results || needed ? results : null;
  const knowledge = kept && kept.knowledge(settings);
  return {
    enabled: settings.enabled,
    preset: settings.preset,
    idleMs: settings.session.idle_seconds * 1000,
    ...sources.calls,
    detectors: planned,
    readers: new Map(
      planned.flatMap((one) => one?.definition.reads ?? []).map((type) => [type, readersOf(planned, type)]),
    ),
    readersOfAll: readersOf(planned),
    on: new Set(planned.flatMap((one) => (one === null ? [] : one.definition.id))),
    knowledge,
    createHistory: kept && knowledge && (() => kept.createHistory(knowledge)),
    privacy: privacyOf(settings.privacy),
    prices: new PriceBook(settings.prices, prices),
    configHash: configHash(sources, planned, kept !== null),
  };
}

/** Slots of the detectors that process events of this type, or, without one, of any. */
function readersOf(planned: readonly (PlannedDetector | null)[], type?: KnownEvent['type']): number[] {
  return planned.flatMap((one, slot) => {
    const reads = one?.definition.reads;
    return one === null || (reads !== undefined && (type === undefined || !reads.includes(type))) ? [] : slot;
  });
}

export function optionSources(settings: DetectionSettings, judged: boolean): OptionSources {
  const preset = presets[settings.preset];
  return { settings, preset, calls: toolRepeatPlan(settings, preset), judged };
}

/** Names of the first detectors in the hash, which must stay stable across releases; later detectors use their ids. */
const hashNames: Partial<Record<DetectorId, string>> = {
  'content-repeat': 'content',
  'thought-repeat': 'thought',
  'tool-limit': 'toolLimit',
  'turn-limit': 'turnLimit',
};
const resultNames: Partial<Record<DetectorId, string>> = {
  'tool-cycle': 'cycle',
  stagnation: 'stagnation',
  outage: 'outage',
};

/**
 * Hash of the settings that decide verdicts. It excludes shipped agent contracts, which are the same for all, and
 * later detectors that are off.
 */
function configHash(
  { settings, calls }: OptionSources,
  planned: readonly (PlannedDetector | null)[],
  keepsResults: boolean,
): string {
  const { enabled, preset, session, per_tool: tools, agents } = settings;
  const on = planned.flatMap((one) => (one === null || one.definition.id === 'tool-repeat' ? [] : one));
  const hashed = new Map(
    on.map(({ definition, options }) => [definition.id, definition.hashed?.(options) ?? options]),
  );
  const under = (names: typeof hashNames) =>
    Object.fromEntries(
      Object.entries(names).map(([id, name]) => [name, hashed.get(id as DetectorId) ?? null]),
    );
  const later = [...hashed].filter(([id]) => !(id in hashNames) && !(id in resultNames));
  const decisive = {
    enabled,
    preset,
    idleMs: session.idle_seconds * 1000,
    tool: calls.tool,
    perTool: Object.fromEntries(calls.perTool),
    rounds: keepsResults ? { ...under(resultNames), tools, agents } : null,
    ...under(hashNames),
    ...Object.fromEntries(later),
  };
  return sha256(canonicalJson(decisive), 12);
}
