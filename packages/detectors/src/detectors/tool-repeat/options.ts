import type { DetectionSettings, Mode, ToolCallLoopSettings } from '@loopwatch/contract';
import type { SimilaritySettings } from '../../lib/similarity.ts';
import type { Preset } from '../../settings/presets.ts';

/** tool-repeat's options for one tool, with all defaults applied. */
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

/** Options for all tools, with overrides for single tools. */
export interface ToolRepeatPlan {
  readonly tool: ToolRepeatOptions;
  readonly perTool: ReadonlyMap<string, ToolRepeatOptions>;
}

export function toolRepeatPlan(
  { tool_call_loop: own }: DetectionSettings,
  { tool: preset }: Preset,
): ToolRepeatPlan {
  const tool = optionsOver(optionsOver(exactCalls, preset), own);
  const perTool = Object.entries(own.per_tool ?? {});
  return { tool, perTool: new Map(perTool.map(([name, limits]) => [name, optionsOver(tool, limits)])) };
}

const defaultSimilarity: SimilaritySettings = {
  algorithm: 'levenshtein',
  threshold: 0.9,
  normalizeWhitespace: false,
  ignoreCase: false,
};

/** What a preset says nothing of; each has a threshold and a mode. */
const exactCalls: ToolRepeatOptions = {
  enabled: true,
  threshold: 0,
  ttlMs: null,
  mode: 'block',
  similarity: null,
  blockText: null,
  warningText: null,
};

/** Settings merged over a base: those of a preset, the general ones over its, those of a tool over the general ones. */
function optionsOver(base: ToolRepeatOptions, settings: ToolCallLoopSettings): ToolRepeatOptions {
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
