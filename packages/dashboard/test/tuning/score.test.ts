import type { BacktestHit } from '@loopwatch/contract/api';
import { expect, test } from 'vitest';
import { type Label, score } from '../../src/tuning/score.ts';

const hit: BacktestHit = {
  detector: 'tool-repeat',
  rule: null,
  eventIndex: 3,
  count: 4,
  action: 'warn',
  reason: '',
};

/** Sessions as a label and a number of hits. */
const sessions = (...list: [Label | null, number][]) =>
  list.map(([label, count]) => ({ label, hits: Array.from({ length: count }, () => hit) }));

test.each<[string, ReturnType<typeof sessions>, Partial<ReturnType<typeof score>>]>([
  ['no sessions', [], { incidents: 0, flagged: 0, precision: null, recall: null }],
  ['no labels', sessions([null, 2], [null, 0]), { incidents: 2, flagged: 1, precision: null, recall: null }],
  ['all loops found', sessions(['loop', 1], ['not_loop', 0]), { precision: 1, recall: 1, trueNegatives: 1 }],
  ['a missed loop', sessions(['loop', 0]), { precision: null, recall: 0, falseNegatives: 1 }],
  ['a false alarm', sessions(['not_loop', 1]), { precision: 0, recall: null, falsePositives: 1 }],
  [
    'a mixture',
    sessions(['loop', 3], ['loop', 0], ['not_loop', 1], ['not_loop', 0], [null, 1]),
    { incidents: 5, flagged: 3, truePositives: 1, precision: 0.5, recall: 0.5 },
  ],
])('score: %s', (_, list, expected) => {
  expect(score(list)).toMatchObject(expected);
});
