import type { IncidentRow } from '@loopwatch/contract';
import { expect, test } from 'vitest';
import { costSentence, costShort } from '../../src/incident/cost.ts';
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
  ['a clock that runs backwards', { cost: cost({ ms: -5 }), state: 'resolved' }, 'Lasted 0 ms.'],
])('costSentence: %s', (_, part, sentence) => {
  expect(costSentence(row(part))).toBe(sentence);
});

test.each<[string, Partial<Cost>, { value: string; unit: string }]>([
  ['dollars first', { usd: 2.5, tokens: 41_200, calls: 3 }, { value: '$2.50', unit: '41.2k tokens' }],
  ['tokens without a price', { usd: null, tokens: 1_200, calls: 3 }, { value: '1,200', unit: 'tokens' }],
  ['calls without usage', { calls: 3, characters: 10 }, { value: '3', unit: 'calls' }],
  ['a single call', { calls: 1 }, { value: '1', unit: 'call' }],
  ['characters at last', { characters: 10 }, { value: '10', unit: 'characters' }],
])('costShort: %s', (_, part, expected) => {
  expect(costShort({ cost: cost(part) })).toEqual(expected);
});
