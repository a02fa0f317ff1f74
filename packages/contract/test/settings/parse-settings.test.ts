import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { issueText } from '../../src/lib/issue-text.ts';
import { detectionSchema } from '../../src/settings/detection-schema.ts';
import { detectionDefinition, modelDefinition } from '../../src/settings/detection-settings.ts';
import { parseSettings, safeParseSettings } from '../../src/settings/parse-settings.ts';
import { schemaOf } from '../../src/settings/schema-of.ts';
import { type SettingSchema, settingPaths } from '../../src/settings/setting-paths.ts';

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
  ...[Object.create({ preset: 'x', more: 1 }), JSON.parse('{"__proto__": {"max_repeats": 2}}'), Array(2)],
];

/** What zod makes of a value by the schema of a definition. */
function byZod(schema: z.core.$ZodType, value: unknown): unknown {
  const { success, data, error } = z.safeParse(schema, value, { error: issueText as z.core.$ZodErrorMap });
  if (success) return { success, data };
  // What zod says twice of some numbers.
  const twice = { received: undefined, format: undefined, note: undefined };
  const issues = error.issues.map((issue) => ({ ...issue, ...twice }));
  return { success, issues };
}

/** Each setting, and each block as a whole. */
const definitions: readonly (readonly [string, SettingSchema])[] = [
  ['detection', detectionDefinition],
  ...Object.entries(detectionDefinition.shape),
  ...Object.entries(modelDefinition.shape),
  ...settingPaths(detectionDefinition).map(({ path, schema }) => [path, schema] as const),
];

/** Settings as people write them, most of them nearly right: known keys with values of any kind, and unknown ones. */
const written = fc.letrec<{ block: unknown; value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(...values, 'balanced', 'chance', 'block', 'stop', false, 2, 3, 60, 1000),
    fc.array(fc.string(), { maxLength: 3 }),
    tie('block'),
  ),
  block: fc.dictionary(
    fc.constantFrom(
      ...settingPaths(detectionDefinition).flatMap(({ path }) => path.split('.')),
      ...['openai/gpt-5', 'bash', '__proto__', 'constructor', 'more'],
    ),
    tie('value'),
    { maxKeys: 6, noNullPrototype: true },
  ),
}));

describe('settings are read as zod reads them:', () => {
  test.each(definitions)('%s', (_, definition) => {
    const schema = schemaOf(definition);
    for (const value of values) expect(safeParseSettings(definition, value)).toEqual(byZod(schema, value));
  });

  test('settings of any kind', () => {
    let valid = 0;
    fc.assert(
      fc.property(written.block, (settings) => {
        const parsed = safeParseSettings(detectionDefinition, settings);
        valid += Number(parsed.success);
        expect(parsed).toEqual(byZod(detectionSchema, settings));
      }),
      { seed: 20_261_130, numRuns: 2000 },
    );
    expect(valid).toBeGreaterThan(50);
  });

  test('whatever is wrong with them', () => {
    const said = definitions.flatMap(([, definition]) =>
      values.flatMap((value) => {
        const parsed = safeParseSettings(definition, value);
        return parsed.success ? [] : parsed.issues.map(({ code }) => code);
      }),
    );
    expect(said).toEqual(
      expect.arrayContaining([
        ...['invalid_type', 'invalid_value', 'unrecognized_keys', 'too_big', 'too_small', 'custom'],
      ]),
    );
  });
});

test('an error names every setting that is invalid', () => {
  expect(() =>
    parseSettings(detectionDefinition, { stopped: 1, tool_cycle: { min_repeats: 1, x: 1 } }),
  ).toThrow(
    new TypeError(
      'stopped: must be a boolean; tool_cycle.min_repeats: must be at least 2; tool_cycle: unknown key x',
    ),
  );
  expect(() => parseSettings(detectionDefinition, 1)).toThrow('value: must be an object');
});
