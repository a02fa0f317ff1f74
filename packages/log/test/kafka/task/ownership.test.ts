import { describe, expect, it } from 'vitest';
import { Ownership } from '../../../src/kafka/task/ownership.ts';

const partitions = (...numbers: number[]) => numbers.map((partition) => ({ topic: 'events', partition }));
const [zero, one] = partitions(0, 1) as [{ topic: string; partition: number }, never];

/** Takes part in generations, each with its partitions. @returns the tenures of partition 0, and the interruptions */
function follow(...generations: readonly (readonly [generationId: number, ...partitions: number[]])[]) {
  const ownership = new Ownership();
  return generations.map(([generationId, ...numbers]) => {
    const memberId = `m-${String(generationId)}`;
    const isInterrupted = ownership.assign({ memberId, generationId }, partitions(...numbers));
    return { isInterrupted, tenure: ownership.tenureOf(zero), other: ownership.tenureOf(one) };
  });
}

describe('the tenure of a partition', () => {
  it('lasts over rebalances that leave it to the member', () => {
    const [first, second, third] = follow([1, 0, 1], [2, 0], [3, 0, 1]);
    expect(first?.tenure).toBeDefined();
    expect([second?.tenure, third?.tenure]).toEqual([first?.tenure, first?.tenure]);
    expect(second?.other).toBeUndefined();
    expect(third?.other).not.toBe(first?.other);
  });

  it.each([
    ['others had it meanwhile', [1, 0], [2], [3, 0], false],
    ['a generation is missing', [1, 0], [2, 0], [4, 0], true],
    ['the group has restarted', [7, 0], [8, 0], [1, 0], true],
  ] as const)('ends when %s', (_, first, second, third, isInterrupted) => {
    const [before, , after] = follow([...first], [...second], [...third]);
    expect(after?.tenure).toBeDefined();
    expect(after?.tenure).not.toBe(before?.tenure);
    expect(after?.isInterrupted).toBe(isInterrupted);
  });

  it('begins without an interruption', () => {
    expect(follow([5, 0])).toMatchObject([{ isInterrupted: false }]);
  });
});
