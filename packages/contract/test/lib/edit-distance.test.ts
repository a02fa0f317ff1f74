import fc from 'fast-check';
import { expect, test } from 'vitest';
import { editDistance } from '../../src/lib/edit-distance.ts';

test.each([
  ['', '', 0],
  ['', 'abc', 3],
  ['kitten', 'sitting', 3],
  ['max_repeats', 'max_repeat', 1],
  ['abc', 'cab', 2],
  // A unit beyond the basic plane is two.
  ['😀', '😃', 1],
  // At the ends of a block of 32 units, and over several.
  [`${'a'.repeat(31)}b`, `${'a'.repeat(31)}c`, 1],
  [`${'a'.repeat(32)}b`, 'a'.repeat(32), 1],
  [`x${'ab'.repeat(60)}`, `${'ab'.repeat(60)}x`, 2],
])('editDistance: from %j to %j', (a, b, edits) => {
  expect(editDistance(a, b)).toBe(edits);
  expect(editDistance(b, a)).toBe(edits);
});

test('editDistance: agrees with the definition', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 100 });
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(editDistance(a, b)).toBe(definedDistance(a, b));
    }),
  );
});

/** Row by row. */
function definedDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, unit] of a.split('').entries()) {
    const next = [i + 1];
    for (const [j, other] of b.split('').entries()) {
      const edits = Math.min(row[j + 1] ?? 0, next[j] ?? 0, (row[j] ?? 0) - (unit === other ? 1 : 0));
      next.push(edits + 1);
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
