import type {
  DetectionSettings,
  Mode,
  SemanticSettings,
  TextLoopSettings,
  ToolCallLoopSettings,
} from '@loopwatch/contract';
import { canonicalJson } from './canonical-json.ts';
import { type Preset, presets } from './presets.ts';
import { type Privacy, privacyOf } from './privacy.ts';
import { type RoundOptions, roundOptions } from './round-options.ts';
import type { SemanticOptions } from './semantic/options.ts';
import { sha256 } from './sha256.ts';
import type { SimilaritySettings } from './similarity.ts';

/** tool-repeat's options for one tool, every default filled in. */
export interface ToolRepeatOptions {
  readonly enabled: boolean;
  readonly threshold: number;
  /** `null`: calls of any age count. */
  readonly ttlMs: number | null;
  readonly mode: Mode;
  /** `null`: only identical calls count. */
  readonly similarity: SimilaritySettings | null;
  readonly blockText: string | null;
  readonly warningText: string | null;
}

/** When text counts as repeated. Lengths in UTF-16 code units. */
export interface TextRule {
  readonly window: number;
  readonly threshold: number;
  readonly maxDistance: number;
}

/** Options of the two detectors of repeated text. */
export interface TextRepeatOptions extends TextRule {
  /** The stream of the session that is read: its answer or its reasoning. */
  readonly stream: 'content' | 'thought';
  readonly mode: Mode;
  /** Numbers that count and white space are the same, and structure does not end a repetition. */
  readonly folded?: boolean;
}

/** Options of tool-limit. */
export interface ToolLimitOptions {
  readonly maxTurns: number;
}

/** Options of turn-limit. */
export interface TurnLimitOptions {
  readonly maxRequests: number;
}

/** Detection settings made ready to run: the preset applied, one object shared by all sessions that have them. */
export interface DetectionPlan {
  readonly enabled: boolean;
  readonly preset: string;
  /** Of the settings that decide verdicts; two runs with the same hash conclude the same. */
  readonly configHash: string;
  readonly idleMs: number;
  readonly tool: ToolRepeatOptions;
  readonly perTool: ReadonlyMap<string, ToolRepeatOptions>;
  /** Rules that look at calls together with their results; `null`: calls alone decide. */
  readonly rounds: RoundOptions | null;
  readonly content: TextRepeatOptions | null;
  readonly thought: TextRepeatOptions | null;
  /** `null`: off, or nobody is there to answer. */
  readonly semantic: SemanticOptions | null;
  readonly toolLimit: ToolLimitOptions | null;
  readonly turnLimit: TurnLimitOptions | null;
  readonly privacy: Privacy;
}

/** @param judged whether there is a model to answer the checks of the semantic layer; without one it is off */
export function planDetection(settings: DetectionSettings, judged = false): DetectionPlan {
  const preset = presets[settings.preset];
  const tool = toolOptions(settings.tool_call_loop, presetToolOptions(preset));
  const perTool = Object.entries(settings.tool_call_loop.per_tool ?? {});
  const rounds = roundOptions(settings, preset.rounds, tool.mode);
  const semantic = judged ? semanticOptions(settings.semantic, preset.semantic) : null;
  const decisive = {
    enabled: settings.enabled,
    preset: settings.preset,
    idleMs: settings.session.idle_seconds * 1000,
    tool,
    perTool: Object.fromEntries(perTool.map(([name, limits]) => [name, toolOptions(limits, tool)])),
    rounds: rounds && { ...rounds, contracts: Object.fromEntries(rounds.contracts) },
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
    semantic,
    privacy: privacyOf(settings.privacy),
    configHash: sha256(canonicalJson(decisive), 12),
  };
}

/** A limit is on as soon as one of its keys is set, unless that says `enabled: false`. */
function isOn(limit: DetectionSettings['tool_call_limit'] | DetectionSettings['turn_requests']): boolean {
  return limit.enabled ?? Object.values(limit).some((value) => value !== undefined);
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

/** A layer that the preset leaves out is on as soon as one of its keys is set, unless that says `enabled: false`. */
function textOptions(
  stream: TextRepeatOptions['stream'],
  settings: TextLoopSettings,
  preset: Preset['content'],
): TextRepeatOptions | null {
  const mentioned = Object.values(settings).some((value) => value !== undefined);
  if (!(settings.enabled ?? (preset !== null || mentioned))) return null;
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
