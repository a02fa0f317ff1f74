import type { DetectionSettings, KnownEvent } from '@loopwatch/contract';
import { callKnowledge, contractsIn } from '../agents/agent-knowledge.ts';
import { CallHistory } from '../calls/call-history.ts';
import type { OptionSources } from '../detectors/definition.ts';
import { detectors } from '../detectors/registry.ts';
import { toolRepeatPlan } from '../detectors/tool-repeat/options.ts';
import { canonicalJson } from '../lib/canonical-json.ts';
import { sha256 } from '../lib/digest.ts';
import { isOn } from '../lib/is-on.ts';
import { PriceBook } from '../prices/price-book.ts';
import { priceTable } from '../prices/price-table.ts';
import { privacyOf } from '../privacy/presentable.ts';
import { presets } from '../settings/presets.ts';
import type { DetectionPlan, PlannedDetector } from './plan.ts';

/**
 * @param judged whether a model is available to answer the checks of the semantic layer; without one the layer is off
 * @param definitions the detectors, in registry order
 */
export function planDetection(
  settings: DetectionSettings,
  judged = false,
  definitions = detectors,
): DetectionPlan {
  const sources = optionSources(settings, judged);
  const planned = definitions.map((definition): PlannedDetector | null => {
    const options = definition.options(sources);
    return options === null ? null : { definition, options };
  });
  const needed = definitions.some(({ needsResults }) => needsResults && isOn(needsResults(settings)));
  const comparesResults = sources.preset.results || needed;
  const knowledge = callKnowledge(settings);
  return {
    enabled: settings.enabled,
    preset: settings.preset,
    idleMs: settings.session.idle_seconds * 1000,
    stopAfterDenials: settings.stop_after_denials,
    asksOnBudget: settings.on_budget === 'ask',
    ...sources.calls,
    detectors: planned,
    readers: new Map(
      planned.flatMap((one) => one?.definition.reads ?? []).map((type) => [type, readersOf(planned, type)]),
    ),
    readersOfAll: readersOf(planned),
    on: new Set(planned.flatMap((one) => (one === null ? [] : one.definition.id))),
    knowledge,
    comparesResults,
    createHistory: comparesResults ? () => new CallHistory(knowledge) : null,
    privacy: privacyOf(settings.privacy),
    prices: new PriceBook(settings.prices, priceTable),
    configHash: configHash(sources, planned, comparesResults),
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

/**
 * Hash of the settings that decide verdicts. It excludes shipped agent contracts, which are the same for all, and
 * detectors that are off.
 */
function configHash(
  { settings, calls }: OptionSources,
  planned: readonly (PlannedDetector | null)[],
  comparesResults: boolean,
): string {
  const { enabled, preset, session, per_tool: tools, agents } = settings;
  const detectors = planned.flatMap((one) => {
    if (one === null || one.definition.id === 'tool-repeat') return [];
    const { definition, options } = one;
    return [[definition.id, definition.hashed?.(options) ?? options] as const];
  });
  const decisive = {
    enabled,
    preset,
    idleMs: session.idle_seconds * 1000,
    tool: calls.tool,
    perTool: Object.fromEntries(calls.perTool),
    results: comparesResults ? { tools, agents: contractsIn(agents) } : null,
    detectors: Object.fromEntries(detectors),
  };
  return sha256(canonicalJson(decisive), 12);
}
