import type { Verdict } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { compare, type Differences, isExact } from './compare.ts';

/** `a1 a2 b1`: verdicts of sessions a and b; `a1!` has a different text than `a1`. */
function results(text: string, deadLetters: readonly string[] = []) {
  const verdicts = text.split(' ').map((word) => {
    const id = word.replace('!', '');
    return { id, sessionId: word[0], reason: word } as unknown as Verdict;
  });
  return { verdicts, deadLetters };
}

const none: Differences = { missing: [], duplicate: [], unexpected: [], outOfOrder: [], different: [] };

describe('compare', () => {
  it.each<[string, string, Partial<Differences>]>([
    ['a1 a2 b1', 'b1 a1 a2', {}],
    ['a1 a2 b1', 'a1 b1', { missing: ['a2'] }],
    ['a1 a2 b1', 'a1 a2 b1 a2', { duplicate: ['a2'] }],
    ['a1 a2', 'a1 a2 a1 a1', { duplicate: ['a1', 'a1'] }],
    ['a1 a2', 'a1 a2 c1', { unexpected: ['c1'] }],
    ['a1 a2 b1 b2', 'a2 a1 b1 b2', { outOfOrder: ['a'] }],
    ['a1 a2 a3', 'a1 a3', { missing: ['a2'] }],
    ['a1 a2', 'a1 a2!', { different: ['a2'] }],
    [
      'a1 a2 b1',
      'b1 a2! a2! c1',
      { missing: ['a1'], duplicate: ['a2'], unexpected: ['c1'], different: ['a2', 'a2'] },
    ],
  ])('compare: expected %s, found %s', (expected, found, differences) => {
    const result = compare(results(expected), results(found));
    expect(result).toEqual({ ...none, ...differences });
    expect(isExact(result)).toBe(Object.keys(differences).length === 0);
  });

  it('compare: counts each dead letter separately', () => {
    const result = compare(results('a1', ['one', 'two']), results('a1', ['one', 'one', 'three']));
    expect(result).toEqual({ ...none, missing: ['two'], duplicate: ['one'], unexpected: ['three'] });
  });
});
