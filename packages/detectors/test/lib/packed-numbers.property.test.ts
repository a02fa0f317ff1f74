import fc from 'fast-check';
import { expect, it } from 'vitest';
import { packNumbers, unpackNumbers } from '../../src/lib/packed-numbers.ts';

const edges = [0, 1, 2 ** 30 - 1, 2 ** 30, 2 ** 32 - 1, 2 ** 53 - 1];

it('packed numbers: unpack to the same numbers', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.maxSafeNat(), fc.constantFrom(...edges))), (numbers) => {
      const packed = packNumbers(numbers);
      expect(packed).toMatch(/^[\w-]*$/);
      expect(packed).toHaveLength(9 * numbers.length);
      expect(unpackNumbers(packed)).toEqual(numbers);
    }),
  );
});

it('packed numbers: more than fit in the arguments of one call', () => {
  const numbers = Array.from({ length: 50_000 }, (_, i) => i * 179_424_673);
  expect(unpackNumbers(packNumbers(numbers))).toEqual(numbers);
});
