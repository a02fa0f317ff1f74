import type { Mode, PresetName } from '@loopwatch/contract';

/** The values of a preset, which apply unless set. */
export interface Preset {
  readonly tool: {
    readonly maxRepeats: number;
    readonly ttlSeconds: number | null;
    readonly mode: Mode;
    /** `null`: exact matching. */
    readonly similarity: number | null;
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
  readonly minRepeats: number;
  readonly maxDistance: number;
  readonly mode: Mode;
  /** Whether to detect a lack of new text, instead of only equal windows. */
  readonly folded?: boolean;
}

const streamText: TextPreset = { window: 50, minRepeats: 10, maxDistance: 250, mode: 'block' };

function similarCalls(maxRepeats: number, ttlSeconds: number, mode: Mode): Preset {
  return {
    tool: { maxRepeats, ttlSeconds, mode, similarity: 0.9 },
    results: false,
    content: null,
    thought: null,
    semantic: null,
  };
}

const balancedText: TextPreset = {
  window: 32,
  minRepeats: 10,
  maxDistance: 250,
  mode: 'chance_then_block',
  folded: true,
};

export const presets: Readonly<Record<PresetName, Preset>> = {
  balanced: {
    tool: { maxRepeats: 4, ttlSeconds: null, mode: 'chance_then_block', similarity: null },
    results: true,
    content: balancedText,
    thought: balancedText,
    semantic: { mode: 'chance_then_block' },
  },
  stream: {
    tool: { maxRepeats: 5, ttlSeconds: null, mode: 'block', similarity: null },
    results: false,
    content: streamText,
    thought: null,
    semantic: { mode: 'block' },
  },
  proxy: {
    tool: { maxRepeats: 4, ttlSeconds: 120, mode: 'block', similarity: null },
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
