import { describe, expect, it } from 'vitest';
import { ReplayReach } from '../src/replay-reach.ts';

/** The reach after batches of 1,000 records that took so long each, ms. */
function after(most: number, ...batches: number[]): number {
  const reach = new ReplayReach(most);
  for (const ms of batches) reach.note(1_000, ms);
  return reach.records;
}

describe('the reach of a replay', () => {
  it.each([
    ['nothing is known yet', 100_000, [], 100_000],
    ['a record takes 5 µs', 200_000, [5], 100_000],
    ['a record takes 50 µs', 100_000, [50], 10_000],
    ['records take no time that could be measured', 100_000, [0], 100_000],
    ['records are very slow', 100_000, [10_000], 5_000],
    ['it is set lower', 700, [10_000], 700],
    ['one batch is out of the ordinary', 1_000_000, [5, 5, 100], 34_482],
  ] as const)('fits half a second: when %s', (_, most, batches, expected) => {
    expect(after(most, ...batches)).toBe(expected);
  });

  it('does not mind an empty batch', () => {
    const reach = new ReplayReach(100_000);
    reach.note(0, 3);
    expect(reach.records).toBe(100_000);
  });
});
