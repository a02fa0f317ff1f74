import type { Mode, PresetName } from '@loopwatch/contract';

/** The numbers of a preset: what holds where nothing else is set. */
export interface Preset {
  readonly description: string;
  readonly tool: {
    readonly maxRepeats: number;
    readonly ttlSeconds: number | null;
    readonly mode: Mode;
    /** `null`: exact matching. */
    readonly similarity: number | null;
  };
  /** Rules that look at calls together with their results; `null`: they are off, and calls alone decide. */
  readonly rounds: RoundPreset | null;
  /** `null`: the layer is off. */
  readonly content: TextPreset | null;
  readonly thought: TextPreset | null;
  /** A model is asked, where one is configured; `null`: never. */
  readonly semantic: { readonly mode: Mode } | null;
}

/** Numbers of the rules over steps; which runs they were chosen on is documented with each detector. */
export interface RoundPreset {
  readonly cycle: { readonly maxPeriod: number; readonly minRepeats: number };
  readonly stagnation: {
    /** Steps in a row that fail with the same error, under varying arguments. */
    readonly sameError: number;
    /** The same failing call with the same error, or rejected changes for the same reason, with looks in between. */
    readonly sameFailure: number;
    /** The same call with the same result, with other steps in between that change nothing. */
    readonly sameResult: number;
    /** Steps in a row in which one reading tool answers the same, whatever its arguments. */
    readonly sameAnswer: number;
    /** The same prompt of a harness, although nothing comes of it. */
    readonly samePrompt: number;
    /** Steps in a row that bring nothing that was not known. */
    readonly nothingNew: number;
  };
  readonly outage: { readonly minFailures: number };
}

interface TextPreset {
  readonly window: number;
  readonly minRepeats: number;
  readonly maxDistance: number;
  readonly mode: Mode;
  /** By what is new in a text, in place of equal windows alone. */
  readonly folded?: boolean;
}

const streamText: TextPreset = { window: 50, minRepeats: 10, maxDistance: 250, mode: 'block' };

function similarCalls(description: string, maxRepeats: number, ttlSeconds: number, mode: Mode): Preset {
  return {
    description,
    tool: { maxRepeats, ttlSeconds, mode, similarity: 0.9 },
    rounds: null,
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
    description: 'all detectors, knowing progress from a loop',
    tool: { maxRepeats: 4, ttlSeconds: null, mode: 'chance_then_block', similarity: null },
    rounds: {
      cycle: { maxPeriod: 8, minRepeats: 3 },
      stagnation: {
        sameError: 5,
        sameFailure: 4,
        sameResult: 5,
        sameAnswer: 6,
        samePrompt: 5,
        nothingNew: 5,
      },
      outage: { minFailures: 3 },
    },
    content: balancedText,
    thought: balancedText,
    semantic: { mode: 'chance_then_block' },
  },
  stream: {
    description: 'the layers of a stream service: 5 identical calls in a row; 50 units of text 10 times',
    tool: { maxRepeats: 5, ttlSeconds: null, mode: 'block', similarity: null },
    rounds: null,
    content: streamText,
    thought: null,
    semantic: { mode: 'block' },
  },
  proxy: {
    description: 'a proxy that breaks: 4 identical calls in a row within two minutes',
    tool: { maxRepeats: 4, ttlSeconds: 120, mode: 'block', similarity: null },
    rounds: null,
    content: null,
    thought: null,
    semantic: null,
  },
  similar: similarCalls('3 similar calls within five minutes', 3, 300, 'block'),
  general: similarCalls('general purpose', 3, 300, 'chance_then_block'),
  coding: similarCalls('coding tools', 4, 600, 'chance_then_block'),
  search: similarCalls('search tools', 2, 180, 'block'),
  api: similarCalls('tools that call APIs', 3, 300, 'block'),
  files: similarCalls('file operations', 3, 300, 'chance_then_block'),
};
