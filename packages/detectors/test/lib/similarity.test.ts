import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  comparable,
  SIMILARITY_MAX_UNITS,
  type SimilaritySettings,
  similarity,
} from '../../src/lib/similarity.ts';

const settings: SimilaritySettings = {
  algorithm: 'levenshtein',
  threshold: 0.9,
  normalizeWhitespace: false,
  ignoreCase: false,
};
const jaccard: SimilaritySettings = { ...settings, algorithm: 'jaccard' };

describe('levenshtein similarity', () => {
  test.each([
    ['', '', 1],
    ['kitten', 'kitten', 1],
    ['0123456789', '012345678x', 0.9],
    ['0123456789', '01234567xy', 0.8],
    ['0123456789', '0123456789a', 1 - 1 / 11],
    ['😀', '😃', 0.5],
  ])('%j and %j', (a, b, expected) => {
    expect(similarity(a, b, settings)).toBeCloseTo(expected, 10);
    expect(similarity(b, a, settings)).toBeCloseTo(expected, 10);
  });

  test('accepts one change in ten, but not one in nine', () => {
    expect(similarity('a'.repeat(10), `${'a'.repeat(9)}b`, settings) >= 0.9).toBe(true);
    expect(similarity('a'.repeat(9), `${'a'.repeat(8)}b`, settings) >= 0.9).toBe(false);
  });

  test('is 0 for lengths that differ too much', () => {
    expect(similarity('a'.repeat(100), 'a'.repeat(112), settings)).toBe(0);
    expect(similarity('a'.repeat(100), 'a'.repeat(111), settings)).toBeCloseTo(100 / 111);
  });

  test('is symmetric and between 0 and 1', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), fc.string({ maxLength: 40 }), (a, b) => {
        const value = similarity(a, b, settings);
        expect(value).toBe(similarity(b, a, settings));
        expect(value >= 0 && value <= 1).toBe(true);
        expect(value === 1).toBe(a === b);
      }),
      { seed: 60, numRuns: 500 },
    );
  });
});

test('similarity: beyond 2,048 units only equal texts are similar', () => {
  const atLimit = 'a'.repeat(SIMILARITY_MAX_UNITS);
  expect(SIMILARITY_MAX_UNITS).toBe(2048);
  expect(similarity(atLimit, `${atLimit.slice(1)}b`, settings)).toBeGreaterThan(0.99);
  expect(similarity(`${atLimit}a`, `${atLimit}b`, settings)).toBe(0);
  expect(similarity(atLimit, `${atLimit}b`, settings)).toBe(0);
  expect(similarity(`${atLimit}a`, `${atLimit}a`, settings)).toBe(1);
});

test.each([
  ['population of France 2023', 'France population 2023', 3 / 4],
  ['a b', 'b a', 1],
  ['', '!!', 1],
  ['one', 'two', 0],
  ['größe x', 'größe y', 1 / 3],
])('jaccard similarity of %j and %j', (a, b, expected) => {
  expect(similarity(a, b, jaccard)).toBeCloseTo(expected, 10);
});

test.each([
  [{}, ' A  b\n', ' A  b\n'],
  [{ normalizeWhitespace: true }, ' A \\n\\t b\n', 'A b'],
  // Not a line break, but a backslash and a letter.
  [{ normalizeWhitespace: true }, '{"path":"C:\\\\new \\\\\\n x"}', '{"path":"C:\\\\new \\\\ x"}'],
  [{ ignoreCase: true }, 'AbÄ', 'abä'],
  [{ normalizeWhitespace: true, ignoreCase: true }, '{"q":"A  B"}', '{"q":"a b"}'],
])('comparable: normalizes text under %j', (changes, raw, form) => {
  expect(comparable(raw, { ...settings, ...changes })).toBe(form);
});
