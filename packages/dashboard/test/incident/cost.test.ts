import type { IncidentRow } from '@loopwatch/contract';
import { expect, test } from 'vitest';
import { costPerMinute, costSentence, costShort } from '../../src/incident/cost.ts';
import { row } from '../rows.ts';

type Cost = IncidentRow['cost'];

const cost = (part: Partial<Cost> = {}): Cost => ({
  calls: 0,
  turns: 0,
  characters: 0,
  tokens: null,
  ms: 2_000,
  ...part,
});

test.each<[string, Parameters<typeof row>[0], string]>([
  ['an open loop without figures', { cost: cost() }, '2.0 s so far.'],
  ['a resolved loop without figures', { cost: cost(), state: 'resolved' }, 'Lasted 2.0 s.'],
  ['one call', { cost: cost({ calls: 1 }), state: 'resolved' }, '1 call in 2.0 s.'],
  ['text without calls', { cost: cost({ characters: 1_200 }) }, '1,200 characters in 2.0 s so far.'],
  ['text with calls', { cost: cost({ calls: 2, characters: 1_200 }) }, '2 calls in 2.0 s so far.'],
  [
    'tokens of an unknown model',
    { cost: cost({ tokens: 900, usd: null }), model: null },
    '900 tokens in 2.0 s so far. No price for sessions without a model name.',
  ],
  [
    'a budget, most of which was used before',
    { cost: cost({ calls: 6, tokens: 900, usd: 0.07 }), detector: 'budget', kind: 'limit', count: 205 },
    '$0.07, 900 tokens and 6 calls in 2.0 s since it was reported.',
  ],
  [
    'a cycle',
    { cost: cost({ calls: 18 }), detector: 'tool-cycle', count: 6 },
    '18 calls in 6 repetitions of the cycle in 2.0 s so far.',
  ],
  ['a clock that runs backwards', { cost: cost({ ms: -5 }), state: 'resolved' }, 'Lasted 0 ms.'],
])('costSentence: %s', (_, part, sentence) => {
  expect(costSentence(row(part))).toBe(sentence);
});

test.each<[string, Partial<Cost>, ReturnType<typeof costShort>]>([
  ['dollars and tokens', { tokens: 1_200, usd: 0.5, calls: 2 }, { usd: '$0.50', usage: '1.2k tokens' }],
  ['tokens without a price', { tokens: 900, usd: null }, { usd: undefined, usage: '900 tokens' }],
  ['calls without usage', { calls: 1_200 }, { usd: undefined, usage: '1,200 calls' }],
  ['a single call', { calls: 1 }, { usd: undefined, usage: '1 call' }],
  ['characters at last', { characters: 1_200 }, { usd: undefined, usage: '1.2k chars' }],
])('costShort: %s', (_, part, expected) => {
  expect(costShort({ cost: cost(part) })).toEqual(expected);
});

test.each<[string, Partial<Cost>[], number | undefined]>([
  [
    'two loops',
    [
      { usd: 0.5, ms: 30_000 },
      { usd: 1, ms: 120_000 },
    ],
    1.5,
  ],
  ['calls that were sent together', [{ usd: 0.5, ms: 20 }], 3],
  ['no price', [{ usd: null }], undefined],
])('costPerMinute: %s', (_, parts, expected) => {
  expect(costPerMinute(parts.map((part) => ({ cost: cost(part) })))).toBe(expected);
});
