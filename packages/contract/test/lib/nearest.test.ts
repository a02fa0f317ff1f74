import { describe, expect, it } from 'vitest';
import { nearest } from '../../src/lib/nearest.ts';

describe('nearest', () => {
  const known = ['max_repeats', 'ttl_seconds', 'mode', 'enabled', 'log'];
  it.each([
    ['max_repeat', 'max_repeats'],
    ['max-repeats', 'max_repeats'],
    ['ttl', undefined],
    ['ttl_second', 'ttl_seconds'],
    ['moed', undefined],
    ['modes', 'mode'],
    ['foo', undefined],
    ['', undefined],
    ['something_else_entirely', undefined],
  ])('suggests for %s: %s', (name, meant) => expect(nearest(name, known)).toBe(meant));

  it('returns undefined for an empty list', () => expect(nearest('mode', [])).toBeUndefined());
});
