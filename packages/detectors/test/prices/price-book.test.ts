import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PriceBook } from '../../src/prices/price-book.ts';
import { priceTable } from '../../src/prices/price-table.ts';
import { SessionTotals } from '../../src/session/session-account.ts';

const book = new PriceBook({}, priceTable);
const finished = (usage: Record<string, number> | null, costUsd?: number) =>
  ({ type: 'turn_finished', usage, costUsd }) as const;

describe('the price of a model', () => {
  it.each([
    ['claude-sonnet-4-5', 3],
    ['claude-sonnet-4-5-20250929', 3],
    ['claude-sonnet-4.5', 3],
    ['Claude-Sonnet-4-5[1m]', 3],
    ['anthropic/claude-opus-4.8', 5],
    ['us.anthropic.claude-opus-4-1-20250805-v1:0', 15],
    ['claude-opus-4@20250514', 15],
    ['claude-3-5-haiku-latest', 0.8],
    ['openai/gpt-5-mini-2025-08-07', 0.25],
    ['gpt-6.1-sol', 2],
    ['gpt-5.1-codex-max', 1.25],
    ['models/gemini-2.5-pro', 1.25],
    ['gemini-3-pro-preview', 2],
    ['gemini-2.5-flash-lite-preview-09-2025', 0.1],
  ])('is found for %s', (model, input) => {
    expect(book.priceOf(model)?.input).toBe(input);
  });

  it.each(['gpt-5-unheard-of', 'claude', 'qwen3:8b', ''])('is unknown for “%s”', (model) => {
    expect(book.priceOf(model)).toBeUndefined();
  });

  it('is overridden by the configuration', () => {
    const own = new PriceBook(
      { 'GPT-5': { input: 7, output: 8 }, 'qwen3:8b': { input: 0, output: 0 } },
      priceTable,
    );
    expect(own.priceOf('openai/gpt-5-2025-08-07')).toMatchObject({ input: 7, output: 8 });
    expect(own.priceOf('qwen3:8b')).toMatchObject({ input: 0 });
    expect(own.priceOf('gpt-5-mini')?.input).toBe(0.25);
  });

  it('is higher for output than for input, and lower for cached input', () => {
    for (const {
      input,
      output,
      cached_input: cachedInput = 0,
      cache_write: cacheWrite = input,
    } of priceTable.values()) {
      expect(output).toBeGreaterThan(input);
      expect(cachedInput).toBeLessThan(input);
      expect(cacheWrite).toBeGreaterThanOrEqual(input);
    }
  });
});

describe('the cost of a turn', () => {
  it.each([
    ['input and output', { inputTokens: 1e6, outputTokens: 1e6 }, 18],
    ['cached input', { inputTokens: 1e6, cachedInputTokens: 9e5 }, 0.3 + 0.27],
    ['input written to the cache', { inputTokens: 1e6, cacheWriteTokens: 1e6 }, 3.75],
    [
      'input written to the cache for an hour',
      { inputTokens: 1e6, cacheWriteTokens: 1e6, hourCacheWriteTokens: 4e5 },
      2.25 + 2.4,
    ],
    ['reasoning as output', { outputTokens: 1e6, reasoningTokens: 9e5 }, 15],
    ['more cached input than input', { inputTokens: 10, cachedInputTokens: 1e6 }, 0.3],
    ['an empty usage as 0', {}, 0],
  ])('counts %s', (_, usage, usd) => {
    expect(book.costOf(finished(usage), 'claude-sonnet-4-5')).toBeCloseTo(usd, 9);
  });

  it.each(['unheard-of', null])(
    'is 0 for a request that used no tokens, even if its model is %s',
    (model) => {
      expect(book.costOf(finished({ inputTokens: 0, outputTokens: 0 }), model)).toBe(0);
    },
  );

  it('uses the input price for cached input without a price', () => {
    const own = new PriceBook({ m: { input: 2, output: 4 } }, priceTable);
    expect(
      own.costOf(finished({ inputTokens: 1e6, cachedInputTokens: 5e5, cacheWriteTokens: 1e5 }), 'm'),
    ).toBe(2);
  });

  it('is what the producer reports, whatever the model', () => {
    expect(book.costOf(finished({ inputTokens: 1e6 }, 0.5), 'unheard-of')).toBe(0.5);
    expect(book.costOf(finished(null, 0.5), null)).toBe(0.5);
  });

  it('is unknown if the producer reports 0 for tokens, unless the configuration has a price', () => {
    const free = finished({ inputTokens: 1e6 }, 0);
    expect(book.costOf(free, 'gpt-5')).toBeUndefined();
    expect(new PriceBook({ 'gpt-5': { input: 2, output: 4 } }, priceTable).costOf(free, 'gpt-5')).toBe(2);
    expect(book.costOf(finished({}, 0), 'gpt-5')).toBe(0);
  });

  it.each([
    ['a model without a price', finished({ inputTokens: 1 }), 'unheard-of'],
    ['no model', finished({ inputTokens: 1 }), null],
    ['no usage', finished(null), 'gpt-5'],
  ])('is unknown for %s', (_, event, model) => {
    expect(book.costOf(event, model)).toBeUndefined();
  });

  it('adds up over turns to the cost of all their tokens', () => {
    const part = fc.nat(1_000_000);
    const turn = fc.record({ plain: part, cached: part, written: part, output: part });
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 30 }), (turns) => {
        const usageOf = (of: typeof turns) => {
          const sum = (name: keyof (typeof turns)[number]) => of.reduce((all, one) => all + one[name], 0);
          return {
            inputTokens: sum('plain') + sum('cached') + sum('written'),
            cachedInputTokens: sum('cached'),
            cacheWriteTokens: sum('written'),
            outputTokens: sum('output'),
          };
        };
        const totals = new SessionTotals();
        for (const one of turns) {
          const event = finished(usageOf([one]));
          totals.count(event, book.costOf(event, 'claude-opus-4-5'));
        }
        expect(totals.usd).toBeCloseTo(book.costOf(finished(usageOf(turns)), 'claude-opus-4-5') ?? -1, 6);
        expect(totals.cachedTokens).toBe(usageOf(turns).cachedInputTokens);
      }),
    );
  });
});
