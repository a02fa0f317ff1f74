import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { above, maximum, maxLength, minimum, refine } from '../../src/settings/checks.ts';

const numbers = [-1, 0, 1, 1.5, 2, 2.5, 1e9];
const texts = ['', 'ab', 'abc', 'x'.repeat(9), '🔁🔁'];
const isEven = (value: number) => value % 2 === 0;

/** A schema with one of the checks, the same with that of zod, and values, some of which are invalid. */
const pairs: readonly (readonly [string, z.core.$ZodType, z.core.$ZodType, readonly unknown[]])[] = [
  ['minimum', z.number().check(minimum(1)), z.number().check(z.minimum(1)), numbers],
  ['above', z.number().check(above(1)), z.number().check(z.gt(1)), numbers],
  ['maximum', z.number().check(maximum(2)), z.number().check(z.maximum(2)), numbers],
  ['refine', z.number().check(refine(isEven, 'odd')), z.number().check(z.refine(isEven, 'odd')), numbers],
  [
    'two checks',
    z.number().check(refine(isEven, 'odd'), above(1)),
    z.number().check(z.refine(isEven, 'odd'), z.gt(1)),
    numbers,
  ],
  ['maxLength of texts', z.string().check(maxLength(2)), z.string().check(z.maxLength(2)), texts],
  [
    'maxLength of lists',
    z.array(z.string()).check(maxLength(2)),
    z.array(z.string()).check(z.maxLength(2)),
    [[], ['a', 'b'], texts],
  ],
];

describe('a check says the same as that of zod:', () => {
  test.each(pairs)('%s', (_, own, zods, values) => {
    const [issues, expected] = [own, zods].map((schema) =>
      values.map((value) => z.safeParse(schema, value).error?.issues),
    );
    expect(issues).toEqual(expected);
    expect(new Set(issues?.map((some) => some === undefined))).toEqual(new Set([true, false]));
  });

  test.each(pairs)('%s, in documents', (_, own, zods) => {
    expect(z.toJSONSchema(own)).toEqual(z.toJSONSchema(zods));
  });
});
