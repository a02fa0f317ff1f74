import { afterEach, describe, expect, test } from 'vitest';
import { en } from 'zod/locales';
import * as z from 'zod/mini';
import { detectionSchema, modelSettingsSchema } from '../../src/settings/detection-settings.ts';
import { inEnglish } from '../../src/settings/english.ts';
import { settingPaths } from '../../src/settings/setting-paths.ts';

const before = z.config().localeError;
afterEach(() => {
  z.config({ localeError: before });
});

const zods = en().localeError;
type Locale = typeof zods | undefined;
const values = [
  ...[
    'x',
    'x'.repeat(501),
    true,
    null,
    undefined,
    -1,
    0,
    0.5,
    1.5,
    2 ** 53,
    1e10,
    -1e10,
    Number.NaN,
    Infinity,
  ],
  ...[[], ['[', 'a*'], Array.from({ length: 1001 }, () => 'a'), {}, { a: 1 }, { a: 1, b: 2 }, { 'a/b': 1 }],
  ...[new Map(), new Date(0), Object.create(null), 1n, Symbol('s'), () => 0, /x/],
  ...[{ a: { input: -1, output: 'x' } }, { a: { result_noise: ['x', 'text {number}{number}', 'text {x}'] } }],
  ...[{ a: { volatile: 'x', poller: 1, more: 2 } }, { '\0': { max_repeats: 1 } }, { max_depth: 0, a: 1 }],
];

function messages(schema: z.core.$ZodType, localeError: Locale, value: unknown): string[] {
  z.config({ localeError });
  const { error } = z.safeParse(schema, value, localeError === undefined ? inEnglish : undefined);
  return error?.issues.map(({ message }) => message) ?? [];
}

/** Each setting, and each block as a whole. */
const schemas: readonly (readonly [string, z.core.$ZodType])[] = [
  ['detection', detectionSchema],
  ...Object.entries(detectionSchema.shape),
  ...Object.entries(modelSettingsSchema.shape),
  ...settingPaths(detectionSchema).map(({ path, schema }) => [path, schema] as const),
];

describe('what is said about an invalid setting is what zod says in English:', () => {
  test.each(schemas)('%s', (_, schema) => {
    for (const value of values)
      expect(messages(schema, undefined, value)).toEqual(messages(schema, zods, value));
  });

  test('unless the program speaks another language', () => {
    z.config({ localeError: () => 'Ungültig' });
    expect(z.safeParse(detectionSchema, { preset: 1 }, inEnglish).error?.issues[0]?.message).toBe('Ungültig');
  });

  test('whatever is wrong with it', () => {
    const said = schemas.flatMap(([, schema]) =>
      values.flatMap((value) => messages(schema, undefined, value)),
    );
    expect(said.map((message) => message.split(':')[0])).toEqual(
      expect.arrayContaining([
        ...['Invalid input', 'Invalid option', 'Unrecognized key', 'Unrecognized keys'],
        ...['Too big', 'Too small'],
      ]),
    );
  });
});
