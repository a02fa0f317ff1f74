import { parsePattern } from '@loopwatch/contract/internal';
import { assert, constantFrom, letrec, oneof, property, stringMatching, tuple } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type PatternSearch, searchPattern } from '../../src/privacy/mask-patterns.ts';

function search(pattern: string, text: string, maxSteps = Infinity): PatternSearch {
  const parsed = parsePattern(pattern);
  if (!parsed.ok) throw new Error(parsed.why);
  return searchPattern(parsed.program, text, maxSteps);
}

/** What JavaScript's own engine matches. */
function spansOf(pattern: string, text: string): (readonly [number, number])[] {
  return [...text.matchAll(new RegExp(pattern, 'gu'))].map((match) => [
    match.index,
    match.index + match[0].length,
  ]);
}

/** Patterns of a few letters, so that texts of the same letters meet them. */
const patterns = letrec<{ pattern: string }>((tie) => ({
  pattern: oneof(
    { maxDepth: 5, withCrossShrink: true },
    constantFrom(
      'a',
      'b',
      'c',
      '.',
      '[ab]',
      '[^a]',
      '\\w',
      '\\b',
      '\\B',
      '^',
      '$',
      '[b-c]',
      'ab',
      '\\.',
      '😀',
      '[😀é]',
    ),
    tuple(tie('pattern'), tie('pattern')).map(([a, b]) => a + b),
    tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(?:${a}|${b})`),
    tuple(
      tie('pattern'),
      constantFrom('*', '+', '?', '{2}', '{1,3}', '{2,}', '*?', '+?', '??', '{0,2}?'),
    ).map(([a, times]) => `(?:${a})${times}`),
    tuple(tie('pattern'), constantFrom('+', '*')).map(([a, times]) => `(${a})${times}`),
  ),
})).pattern;

const texts = stringMatching(/^(?:[abc. ]|😀|é){0,14}$/u);

describe('searchPattern', () => {
  test('finds what JavaScript’s own engine finds', () => {
    let taken = 0;
    assert(
      property(patterns, texts, (pattern, text) => {
        if (!parsePattern(pattern).ok) return;
        taken += 1;
        expect(search(pattern, text).spans).toEqual(spansOf(pattern, text));
      }),
      { numRuns: 4000 },
    );
    expect(taken).toBeGreaterThan(1000);
  });

  test.each([
    ['(a+)+$', 'a'.repeat(44).concat('!')],
    ['a.*z|a', 'a'],
    ['(?:a|a)*b', 'a'],
    ['(?:.*.*.*=.*)x', 'x=x'],
    ['\\w+@corp\\.com', 'someone.'],
    ['(?:(?:a?){30}a{30})+!', 'a'],
    ['(?:[ab]*c?)+d', 'abc'],
    ['(?:a{1,9}b?){2,9}$', 'ab'],
  ])('takes linear steps to search for %s in repetitions of %j', (pattern, piece) => {
    const [short, long] = [500, 5000].map((times) => search(pattern, piece.repeat(times)).steps);
    expect((long ?? 0) / (short ?? 0)).toBeLessThan(10.5);
  });

  test('takes at most two steps per state and character for any pattern', () => {
    assert(
      property(patterns, stringMatching(/^[abc]{1,4}$/), (pattern, piece) => {
        const parsed = parsePattern(pattern);
        if (!parsed.ok) return;
        const { program } = parsed;
        const text = piece.repeat(200).concat('!');
        const { steps } = searchPattern(program, text, Infinity);
        expect(steps).toBeLessThanOrEqual(2 * (program.states.length + 1) * (text.length + 1));
      }),
      { numRuns: 1000 },
    );
  });

  test('stops at the maximum of steps, and reports that', () => {
    const found = search('a[ab]*c|ab', 'ab'.repeat(1000), 500);
    expect(found).toMatchObject({ isWhole: false, steps: 501 });
  });
});
