import fc from 'fast-check';
import { expect, it } from 'vitest';
import { packNumbers, unpackNumbers } from '../../src/lib/packed-numbers.ts';

const edges = [0, 1, 31, 32, 2 ** 30 - 1, 2 ** 30, 2 ** 32 - 1, 2 ** 53 - 1];

it('packed numbers: unpack to the same numbers', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.maxSafeNat(), fc.constantFrom(...edges))), (numbers) => {
      const packed = packNumbers(numbers);
      expect(packed).toMatch(/^[\w-]*$/);
      expect(packed.length).toBeLessThanOrEqual(11 * numbers.length);
      expect(unpackNumbers(packed)).toEqual(numbers);
    }),
  );
});

it.each([
  [[], ''],
  [[0, 31, 32], 'AfgB'],
  [[2 ** 30 - 1, 2 ** 30], '_____fggggggB'],
  [[2 ** 53 - 1], '__________H'],
])('packed numbers: %j is written as %j', (numbers, packed) => {
  expect(packNumbers(numbers)).toBe(packed);
});
