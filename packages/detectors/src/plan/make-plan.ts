import type {
  DetectionSettings,
  SemanticSettings,
  TextLoopSettings,
  ToolCallLoopSettings,
} from '@loopwatch/contract';
import type { SemanticOptions } from '../detectors/semantic/options.ts';
import type { TextRepeatOptions } from '../detectors/text-repeat/options.ts';
import type { ToolRepeatOptions } from '../detectors/tool-repeat/options.ts';
import { canonicalJson } from '../lib/canonical-json.ts';
import { isOn } from '../lib/is-on.ts';
import { sha256 } from '../lib/sha256.ts';
import type { SimilaritySettings } from '../lib/similarity.ts';
import { privacyOf } from '../privacy/privacy.ts';
import { type Preset, presets } from '../settings/presets.ts';
import { RepeatIndex } from '../text/repeat-index.ts';
import type { Families } from './families.ts';
import type { DetectionPlan } from './plan.ts';

/**
 * @param families what there is to run them with: a family that is missing is left out
 * @param judged whether there is a model to answer the checks of the semantic layer; without one it is off
 */
export function makePlan(
  settings: DetectionSettings,
  families: Omit<Families, 'schema'>,
  judged: boolean,
): DetectionPlan {
  const preset = presets[settings.preset];
  const tool = toolOptions(settings.tool_call_loop, presetToolOptions(preset));
  const perTool = Object.entries(settings.tool_call_loop.per_tool ?? {});
  const rounds = families.rounds?.(settings, preset.rounds, tool.mode) ?? null;
  const semantic = judged ? semanticOptions(settings.semantic, preset.semantic) : null;
  const decisive = {
    enabled: settings.enabled,
    preset: settings.preset,
    idleMs: settings.session.idle_seconds * 1000,
    tool,
    perTool: Object.fromEntries(perTool.map(([name, limits]) => [name, toolOptions(limits, tool)])),
    // What ships of agents is the same for all.
    rounds: rounds && { ...rounds.options, agents: settings.agents },
    content: textOptions('content', settings.content_loop, preset.content),
    thought: textOptions('thought', settings.thought_loop, preset.thought),
    // A layer that is off leaves no trace in the hash.
    ...(semantic !== null && { semantic }),
    toolLimit: isOn(settings.tool_call_limit) ? { maxTurns: settings.tool_call_limit.max_turns ?? 3 } : null,
    turnLimit: isOn(settings.turn_requests)
      ? { maxRequests: settings.turn_requests.max_turn_requests ?? 10 }
      : null,
  };
  return {
    ...decisive,
    perTool: new Map(Object.entries(decisive.perTool)),
    rounds,
    content: withIndex(decisive.content, families),
    thought: withIndex(decisive.thought, families),
    semantic,
    privacy: privacyOf(settings.privacy),
    configHash: sha256(canonicalJson(decisive), 12),
  };
}

function presetToolOptions({ tool }: Preset): ToolRepeatOptions {
  return {
    enabled: true,
    threshold: tool.maxRepeats,
    ttlMs: tool.ttlSeconds === null ? null : tool.ttlSeconds * 1000,
    mode: tool.mode,
    similarity: tool.similarity === null ? null : { ...defaultSimilarity, threshold: tool.similarity },
    blockText: null,
    warningText: null,
  };
}

const defaultSimilarity: SimilaritySettings = {
  algorithm: 'levenshtein',
  threshold: 0.9,
  normalizeWhitespace: false,
  ignoreCase: false,
};

/** Settings over what would hold without them: the preset, or the general settings for one tool's own. */
function toolOptions(settings: ToolCallLoopSettings, base: ToolRepeatOptions): ToolRepeatOptions {
  const { similarity, similarity_threshold: threshold, ttl_seconds: ttlSeconds } = settings;
  const similar = similarity !== undefined || threshold !== undefined;
  const inherited = base.similarity ?? defaultSimilarity;
  return {
    enabled: settings.enabled ?? base.enabled,
    threshold: settings.max_repeats ?? base.threshold,
    ttlMs: ttlSeconds === undefined ? base.ttlMs : ttlSeconds === null ? null : ttlSeconds * 1000,
    mode: settings.mode ?? base.mode,
    similarity: similar
      ? {
          algorithm: similarity?.algorithm ?? inherited.algorithm,
          threshold: similarity?.threshold ?? threshold ?? inherited.threshold,
          normalizeWhitespace: similarity?.normalize_whitespace ?? inherited.normalizeWhitespace,
          ignoreCase: similarity?.ignore_case ?? inherited.ignoreCase,
        }
      : base.similarity,
    blockText: settings.error_messages?.block ?? base.blockText,
    warningText: settings.error_messages?.warning ?? base.warningText,
  };
}

type TextOptions = Omit<TextRepeatOptions, 'createIndex'> & {
  /** Numbers that count and white space are the same, and structure does not end a repetition. */
  readonly folded?: boolean;
};

function textOptions(
  stream: TextOptions['stream'],
  settings: TextLoopSettings,
  preset: Preset['content'],
): TextOptions | null {
  if (!isOn(settings, preset !== null)) return null;
  const base = preset ?? presets.stream.content;
  return {
    stream,
    window: settings.window ?? base?.window ?? 50,
    threshold: settings.min_repeats ?? base?.minRepeats ?? 10,
    maxDistance: settings.max_distance ?? base?.maxDistance ?? 250,
    mode: settings.mode ?? base?.mode ?? 'block',
    ...(preset?.folded && { folded: true }),
  };
}

function withIndex(
  options: TextOptions | null,
  { folded }: Omit<Families, 'schema'>,
): TextRepeatOptions | null {
  if (options === null) return null;
  const createIndex =
    options.folded && folded !== null ? () => folded(options) : () => new RepeatIndex(options);
  return { ...options, createIndex };
}

function semanticOptions(settings: SemanticSettings, preset: Preset['semantic']): SemanticOptions | null {
  if (!(settings.enabled ?? preset !== null)) return null;
  return {
    afterTurns: settings.after_turns,
    interval: settings.interval,
    historyTurns: settings.history_turns,
    confidence: settings.confidence,
    maxCharacters: settings.max_characters,
    mode: settings.mode ?? preset?.mode ?? 'block',
  };
}
