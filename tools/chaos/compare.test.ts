import type { Verdict } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { compare, type Differences, isAllowed, isExact } from './compare.ts';

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

  it.each<[string, Partial<Differences>, boolean, boolean]>([
    ['nothing', {}, true, true],
    ['duplicate', { duplicate: ['a1'] }, false, true],
    ['missing', { missing: ['a1'] }, false, false],
    ['unexpected', { unexpected: ['a1'] }, false, false],
    ['out of order', { outOfOrder: ['a'] }, false, false],
    ['duplicate with another content', { duplicate: ['a1'], different: ['a1'] }, false, false],
  ])('isAllowed: %s', (_, differences, exactlyOnce, atLeastOnce) => {
    const all = { ...none, ...differences };
    expect(isAllowed(all, 'exactly_once')).toBe(exactlyOnce);
    expect(isAllowed(all, 'at_least_once')).toBe(atLeastOnce);
  });
});
