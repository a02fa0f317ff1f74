import { expect, it } from 'vitest';
import * as z from 'zod';
import { errorsText } from '../../src/lib/issue-text.ts';
import { plainErrors } from '../../src/lib/plain-errors.ts';

const word = z.enum(['warn', 'block']);
const words = z.union([word, z.array(word).min(1)]);

it.each<[z.ZodType, unknown, string]>([
  [z.string(), 1, 'must be text, not a number'],
  [z.string(), undefined, 'is required'],
  [z.string().min(1), '', 'must not be empty'],
  [z.string().min(2), 'x', 'must be at least 2 characters'],
  [z.string().max(2), 'xyz', 'must be at most 2 characters'],
  [z.string().regex(/^a+$/), 'b', 'must match /^a+$/'],
  [z.string().regex(/^a+$/, 'must be some a'), 'b', 'must be some a'],
  [z.number(), 'x', 'must be a number, not text'],
  [z.number(), Number.NaN, 'must be a number, not NaN'],
  [z.number().min(2), 1, 'must be at least 2'],
  [z.number().positive(), 0, 'must be more than 0'],
  [z.number().lt(2), 2, 'must be less than 2'],
  [z.number().multipleOf(5), 7, 'must be a multiple of 5'],
  [z.int(), 1.5, 'must be a whole number'],
  [z.int().max(9), 10, 'must be at most 9'],
  [z.boolean(), 'yes', 'must be true or false, not text'],
  [z.array(z.string()), null, 'must be a list, not null'],
  [z.array(z.string()).min(1), [], 'must not be empty'],
  [z.array(z.string()).max(2), ['a', 'b', 'c'], 'must be at most 2 entries'],
  [z.array(z.string()), ['a', true], '1: must be text, not true'],
  [z.literal('previous'), 'last', 'must be previous'],
  [word, 'stop', 'must be one of warn, block'],
  [word, undefined, 'is required, and must be one of warn, block'],
  [words, 'stop', 'must be one of warn, block, or a list'],
  [words, [], 'must not be empty'],
  [words, ['warn', 'stop'], '1 must be one of warn, block'],
  [words, undefined, 'is required'],
  [z.union([z.number(), z.iso.datetime()]), 'now', 'must be a time, such as 2026-11-30T10:00:00Z'],
  [z.url({ protocol: /^https?$/ }), 'ftp://a', 'must be a URL, such as https://example.com'],
  [z.email(), 'ops', 'must be an email address, such as oncall@example.com'],
  [z.ipv4(), 'x', 'must be in the format ipv4'],
  [
    z.discriminatedUnion('type', [z.object({ type: word })]),
    { type: 'x' },
    'type: must be one of warn, block',
  ],
  [
    z.strictObject({ max_age: z.number() }),
    { max_age: 1, maxage: 2, x: 1 },
    'unknown key maxage, x; did you mean max_age?',
  ],
  [z.object({ a: z.object({ b: z.int() }) }), { a: { b: 'x' } }, 'a.b: must be a number, not text'],
  [z.object({ a: z.string(), b: z.string() }), {}, 'a: is required; b: is required'],
  [z.object({}), [], 'must be an object, not a list'],
  [z.record(z.string().min(1), z.string()), { '': 'x' }, 'its name must not be empty'],
  [z.string().refine(() => false), 'x', 'is not valid'],
])('plain errors: %#, given %j: %s', (schema, value, text) => {
  const { error } = schema.safeParse(value, plainErrors);
  expect(error && errorsText(error).replace(/^value: /, '')).toBe(text);
});
