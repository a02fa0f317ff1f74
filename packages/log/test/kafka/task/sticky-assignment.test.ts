import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assignSticky, type Claim } from '../../../src/kafka/task/sticky-assignment.ts';
import type { TopicPartition } from '../../../src/port/task.ts';

const places = (count: number): TopicPartition[] =>
  Array.from({ length: count }, (_, partition) => ({ topic: 't', partition }));
const numbers = (assigned: Map<string, TopicPartition[]>) =>
  Object.fromEntries(
    Array.from(assigned, ([id, list]) => [id, list.map(({ partition }) => partition).sort((a, b) => a - b)]),
  );
const claim = (memberId: string, ...partitions: number[]): Claim => ({
  memberId,
  owned: partitions.map((partition) => ({ topic: 't', partition })),
  isSettled: true,
});
const newcomer = (memberId: string, ...partitions: number[]): Claim => ({
  ...claim(memberId, ...partitions),
  isSettled: false,
});

describe('assignSticky', () => {
  it.each<[string, number, Claim[], Record<string, number[]>]>([
    ['no member owns a partition', 4, [claim('b'), claim('a')], { a: [0, 2], b: [1, 3] }],
    ['a member joins', 4, [claim('a', 0, 1, 2, 3), claim('b')], { a: [0, 1], b: [2, 3] }],
    ['a member has just joined', 4, [claim('a', 0, 1), newcomer('b')], { a: [0, 1, 2, 3], b: [] }],
    [
      'a member of another version joins',
      4,
      [newcomer('a', 0, 1, 2, 3), claim('b')],
      { a: [0, 1], b: [2, 3] },
    ],
    ['all have just joined', 4, [newcomer('a'), newcomer('b')], { a: [0, 2], b: [1, 3] }],
    ['a member leaves', 4, [claim('a', 0, 1)], { a: [0, 1, 2, 3] }],
    ['the members have not changed', 5, [claim('a', 4, 1), claim('b', 0, 2, 3)], { a: [1, 4], b: [0, 2, 3] }],
    ['a partition is claimed twice', 2, [claim('a', 0), claim('b', 0)], { a: [0], b: [1] }],
    ['a member claims a partition that does not exist', 1, [claim('a', 9), claim('b', 0)], { a: [], b: [0] }],
    [
      'there are more members than partitions',
      1,
      [claim('a'), claim('b'), claim('c', 0)],
      { a: [], b: [], c: [0] },
    ],
  ])('when %s', (_, count, claims, expected) => {
    expect(numbers(assignSticky(places(count), claims))).toEqual(expected);
  });

  it('assigns each partition to one member, evenly, and moves no partition unnecessarily', () => {
    const members = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 7 });
    fc.assert(
      fc.property(fc.nat(30), members, fc.array(fc.nat(7)), (count, ids, owners) => {
        const all = places(count);
        const owned = (index: number) => all.filter(({ partition }) => owners[partition] === index);
        const claims = ids.map((memberId, i) => ({ memberId, owned: owned(i), isSettled: true }));
        const assigned = assignSticky(all, claims);
        const given = [...assigned.values()].flat().map(({ partition }) => partition);
        expect(given.sort((a, b) => a - b)).toEqual(all.map(({ partition }) => partition));
        const sizes = [...assigned.values()].map((list) => list.length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
        for (const { memberId, owned: before } of claims) {
          const now = assigned.get(memberId) ?? [];
          const kept = before.filter((topicPartition) => now.includes(topicPartition)).length;
          expect(kept).toBeGreaterThanOrEqual(Math.min(before.length, Math.floor(count / ids.length)));
        }
        const again = claims.map((own) => ({ ...own, owned: assigned.get(own.memberId) ?? [] }));
        expect(numbers(assignSticky(all, again))).toEqual(numbers(assigned));
      }),
    );
  });
});
