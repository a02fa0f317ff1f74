import type { PriceSettings } from '@loopwatch/contract';

/**
 * Prices of input and output; of cached input unless it is a tenth of input; and of writing to the five-minute cache if that
 * has its own, which with Anthropic's models is five quarters of input.
 */
type Row = readonly [input: number, output: number, cachedInput?: number, cacheWrite?: number];

/**
 * Vendors' list prices for requests of standard size and speed, without the surcharges for very long prompts and fast
 * modes and without batch discounts. `prices` in the configuration takes precedence.
 */
const rows: Readonly<Record<string, Row>> = {
  // https://platform.claude.com/docs/en/about-claude/pricing, read on 2026-10-24.
  'claude-fable-5-1': [10, 50, 0.25],
  'claude-fable-5': [10, 50],
  'claude-opus-5-5': [4, 20, 0.2],
  'claude-opus-5': [5, 25],
  'claude-opus-4-8': [5, 25],
  'claude-opus-4-7': [5, 25],
  'claude-opus-4-6': [5, 25],
  'claude-opus-4-5': [5, 25],
  'claude-opus-4-1': [15, 75],
  'claude-opus-4': [15, 75],
  'claude-3-opus': [15, 75],
  'claude-sonnet-5-5': [2, 10, 0.1],
  'claude-sonnet-5': [2, 10],
  'claude-sonnet-4-6': [3, 15],
  'claude-sonnet-4-5': [3, 15],
  'claude-sonnet-4': [3, 15],
  'claude-3-7-sonnet': [3, 15],
  'claude-3-5-sonnet': [3, 15],
  'claude-haiku-5-5': [0.1, 0.5],
  'claude-haiku-4-5': [1, 5],
  'claude-3-5-haiku': [0.8, 4],
  'claude-3-haiku': [0.25, 1.25, 0.03, 0.3],
  // https://developers.openai.com/api/docs/pricing, read on 2026-10-03.
  'gpt-6-astra': [10, 50],
  'gpt-6.1-sol': [2, 10, 0.1, 2.5],
  'gpt-6-sol': [2, 10, 0.2, 2.5],
  'gpt-6-luna': [0.1, 0.5, 0.01, 0.125],
  'gpt-5.6-sol': [4, 20, 0.4, 5],
  'gpt-5.6-terra': [2, 12, 0.2, 2.5],
  'gpt-5.6-luna': [0.2, 1.2, 0.02, 0.25],
  'gpt-5.5': [5, 30],
  'gpt-5.4': [2.5, 15],
  'gpt-5.4-mini': [0.75, 4.5],
  'gpt-5.4-nano': [0.2, 1.25],
  'gpt-5.3-codex': [1.75, 14],
  'gpt-5.2': [1.75, 14],
  'gpt-5.2-codex': [1.75, 14],
  'gpt-5.1': [1.25, 10],
  'gpt-5.1-codex': [1.25, 10],
  'gpt-5.1-codex-max': [1.25, 10],
  'gpt-5.1-codex-mini': [0.25, 2],
  'gpt-5': [1.25, 10],
  'gpt-5-codex': [1.25, 10],
  'gpt-5-mini': [0.25, 2],
  'gpt-5-nano': [0.05, 0.4],
  'gpt-4.1': [2, 8, 0.5],
  'gpt-4.1-mini': [0.4, 1.6, 0.1],
  'gpt-4.1-nano': [0.1, 0.4, 0.025],
  'gpt-4o': [2.5, 10, 1.25],
  'gpt-4o-mini': [0.15, 0.6, 0.075],
  'o4-mini': [1.1, 4.4, 0.275],
  o3: [2, 8, 0.5],
  // https://ai.google.dev/gemini-api/docs/pricing, read on 2026-08-01.
  'gemini-3.5-flash': [1.5, 9],
  'gemini-3.1-pro': [2, 12],
  'gemini-3-pro': [2, 12],
  'gemini-3-flash': [0.5, 3],
  'gemini-2.5-pro': [1.25, 10],
  'gemini-2.5-flash': [0.3, 2.5],
  'gemini-2.5-flash-lite': [0.1, 0.4],
};

/** Known prices by model name, without vendor and date. */
export const priceTable: ReadonlyMap<string, PriceSettings> = new Map(
  Object.entries(rows).map(([model, [input, output, cachedInput = input / 10, cacheWrite]]) => [
    model,
    {
      input,
      output,
      cached_input: cachedInput,
      cache_write: cacheWrite ?? (model.startsWith('claude') ? input * 1.25 : undefined),
    },
  ]),
);
