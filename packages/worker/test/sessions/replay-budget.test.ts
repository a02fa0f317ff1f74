import { describe, expect, it } from 'vitest';
import { ReplayBudget } from '../../src/sessions/replay-budget.ts';

/** The budget after batches of 1,000 records each, by their durations in ms. */
function after(max: number, ...batches: number[]): number {
  const budget = new ReplayBudget(max);
  for (const ms of batches) budget.noteBatch(1_000, ms);
  return budget.records;
}

describe('the replay budget', () => {
  it.each([
    ['no batch was measured', 100_000, [], 100_000],
    ['a record takes 5 µs', 300_000, [5], 200_000],
    ['a record takes 50 µs', 100_000, [50], 20_000],
    ['records take no measurable time', 100_000, [0], 100_000],
    ['records are very slow', 100_000, [10_000], 5_000],
    ['the upper bound is lower', 700, [10_000], 700],
    ['one batch is an outlier', 1_000_000, [5, 5, 100], 68_965],
  ] as const)('fits a second when %s', (_, max, batches, expected) => {
    expect(after(max, ...batches)).toBe(expected);
  });

  it('ignores an empty batch', () => {
    const budget = new ReplayBudget(100_000);
    budget.noteBatch(0, 3);
    expect(budget.records).toBe(100_000);
  });
});
