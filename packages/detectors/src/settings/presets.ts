import type { Mode, PresetName } from '@loopwatch/contract';

/** The values of a preset, named as in the settings, which apply unless set. */
export interface Preset {
  readonly tool: {
    readonly max_repeats: number;
    /** Absent: calls of any age count. */
    readonly ttl_seconds?: number;
    readonly mode: Mode;
    /** Absent: exact matching. */
    readonly similarity_threshold?: number;
  };
  /** Whether calls are compared with their results; otherwise calls alone decide. */
  readonly results: boolean;
  /** `null`: the layer is off. */
  readonly content: TextPreset | null;
  readonly thought: TextPreset | null;
  /** Whether to ask a model, if one is configured; `null`: never. */
  readonly semantic: { readonly mode: Mode } | null;
}

interface TextPreset {
  readonly window: number;
  readonly min_repeats: number;
  readonly max_distance: number;
  readonly mode: Mode;
  /** Whether to detect a lack of new text, instead of only equal windows. */
  readonly folded?: boolean;
}

/** Also for a layer that is on although its preset has none. */
export const streamText: TextPreset = { window: 50, min_repeats: 10, max_distance: 250, mode: 'block' };

function similarCalls(max_repeats: number, ttl_seconds: number, mode: Mode): Preset {
  return {
    tool: { max_repeats, ttl_seconds, mode, similarity_threshold: 0.9 },
    results: false,
    content: null,
    thought: null,
    semantic: null,
  };
}

const balancedText: TextPreset = {
  window: 32,
  min_repeats: 10,
  max_distance: 250,
  mode: 'chance_then_block',
  folded: true,
};

export const presets: Readonly<Record<PresetName, Preset>> = {
  balanced: {
    tool: { max_repeats: 4, mode: 'chance_then_block' },
    results: true,
    content: balancedText,
    thought: balancedText,
    semantic: { mode: 'chance_then_block' },
  },
  stream: {
    tool: { max_repeats: 5, mode: 'block' },
    results: false,
    content: streamText,
    thought: null,
    semantic: { mode: 'block' },
  },
  proxy: {
    tool: { max_repeats: 4, ttl_seconds: 120, mode: 'block' },
    results: false,
    content: null,
    thought: null,
    semantic: null,
  },
  similar: similarCalls(3, 300, 'block'),
  general: similarCalls(3, 300, 'chance_then_block'),
  coding: similarCalls(4, 600, 'chance_then_block'),
  search: similarCalls(2, 180, 'block'),
  api: similarCalls(3, 300, 'block'),
  files: similarCalls(3, 300, 'chance_then_block'),
};
