import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { settingsSchema } from '../../src/index.ts';
import {
  allowedValues,
  environmentName,
  findSetting,
  isSecretPath,
  settingPaths,
  valueFromText,
} from '../../src/internal.ts';

const settings = settingPaths(settingsSchema);

describe('settingPaths', () => {
  it.each([
    'enabled',
    'preset',
    'tool_call_loop.max_repeats',
    'tool_call_loop.similarity.algorithm',
    'tool_call_loop.error_messages.block',
    'tool_call_loop.per_tool',
    'kafka.brokers',
    'kafka.topics.dead-letters',
  ])('contains %s', (path) => expect(settings.map((setting) => setting.path)).toContain(path));

  it.each(['tool_call_loop', 'kafka', 'kafka.topics', ''])('contains no blocks: %j', (path) =>
    expect(settings.map((setting) => setting.path)).not.toContain(path),
  );

  it('contains each path once', () => {
    expect(new Set(settings.map(({ path }) => path)).size).toBe(settings.length);
  });
});

describe('environmentName', () => {
  it.each([
    ['preset', 'LOOPWATCH_PRESET'],
    ['tool_call_loop.max_repeats', 'LOOPWATCH_TOOL_CALL_LOOP_MAX_REPEATS'],
    ['kafka.topics.dead-letters', 'LOOPWATCH_KAFKA_TOPICS_DEAD_LETTERS'],
    ['semantic.after_turns', 'LOOPWATCH_SEMANTIC_AFTER_TURNS'],
  ])('%s is %s', (path, name) => expect(environmentName(path)).toBe(name));

  it('is unique, except for two settings with the same meaning', () => {
    const names = settings.map(({ path }) => environmentName(path));
    const shared = settings.filter(
      ({ path }) => names.filter((name) => name === environmentName(path)).length > 1,
    );
    expect(shared.map(({ path }) => path)).toEqual([
      'tool_call_loop.similarity_threshold',
      'tool_call_loop.similarity.threshold',
    ]);
  });
});

describe('findSetting', () => {
  it.each([
    ['preset', ['preset']],
    ['tool_call_loop', ['tool_call_loop']],
    ['tool_call_loop.per_tool', ['tool_call_loop', 'per_tool']],
    ['tool_call_loop.per_tool.search', ['tool_call_loop', 'per_tool', 'search']],
    ['tool_call_loop.per_tool.search.mode', ['tool_call_loop', 'per_tool', 'search', 'mode']],
    ['tool_call_loop.per_tool.fs.read.mode', ['tool_call_loop', 'per_tool', 'fs.read', 'mode']],
    [
      'tool_call_loop.per_tool.a.b.similarity.threshold',
      ['tool_call_loop', 'per_tool', 'a.b', 'similarity', 'threshold'],
    ],
  ])('finds %s', (path, keys) => expect(findSetting(settingsSchema, path)?.keys).toEqual(keys));

  it.each([
    '',
    'presets',
    'preset.x',
    'tool_call_loop.',
    'tool_call_loop.per_tool.x.max_repeat',
    'tool_call_loop.per_tool..mode',
    '__proto__',
    'constructor.name',
    'tool_call_loop.toString',
  ])('finds nothing at %j', (path) => expect(findSetting(settingsSchema, path)).toBeUndefined());
});

describe('valueFromText', () => {
  const schemas = {
    text: z.string(),
    choice: z.enum(['1', 'a']).optional(),
    number: z.int().min(2).optional(),
    nullable: z.number().nullable().optional(),
    boolean: z.boolean().default(true),
    list: z.array(z.string()).default([]),
    record: z.record(z.string(), z.strictObject({ n: z.int() })).optional(),
    union: z.union([z.literal(''), z.string()]).default(''),
    piped: z.enum(['a', '5']).transform((text) => text),
  };
  type Row = [keyof typeof schemas, string, unknown];
  it.each<Row>([
    ['text', '123', '123'],
    ['text', 'true', 'true'],
    ['text', '', ''],
    ['choice', '1', '1'],
    ['number', '5', 5],
    ['number', ' 5 ', 5],
    ['number', '1e3', 1000],
    ['number', 'five', 'five'],
    ['number', '0x10', '0x10'],
    ['number', '', ''],
    ['number', '1', 1],
    ['nullable', 'null', null],
    ['nullable', '0.5', 0.5],
    ...['true', 'TRUE', '1', 'yes', 'Yes', 'on', ' on '].map((text) => ['boolean', text, true] as Row),
    ...['false', 'False', '0', 'no', 'off', 'OFF'].map((text) => ['boolean', text, false] as Row),
    ['boolean', 'maybe', 'maybe'],
    ['boolean', '2', '2'],
    ['list', 'a:9092,b:9092', ['a:9092', 'b:9092']],
    ['list', ' a:1 , b:2, ', ['a:1', 'b:2']],
    ['list', '["a,b"]', ['a,b']],
    ['list', '9092', ['9092']],
    ['list', '[a-z]+', ['[a-z]+']],
    ['record', '{"x":{"n":1}}', { x: { n: 1 } }],
    ['record', 'x', 'x'],
    ['union', '123', '123'],
    ['union', 'null', 'null'],
    ['piped', '5', '5'],
  ])('converts to %s: %j becomes %j', (kind, text, expected) =>
    expect(valueFromText(text, schemas[kind])).toEqual(expected),
  );
});

describe('allowedValues', () => {
  it.each([
    ['enabled', 'true or false'],
    ['tool_call_loop.max_repeats', 'a whole number from 2 to 1000000'],
    ['tool_call_loop.ttl_seconds', 'a number above 0, or null'],
    ['tool_call_loop.mode', 'one of warn, block, chance_then_block, break, chance, chance_then_break'],
    ['tool_call_loop.similarity_threshold', 'a number from 0 to 1'],
    ['kafka.partitions', 'a whole number of at least 1'],
    ['kafka.brokers', 'a list, each entry text that is not empty'],
    [
      'kafka.topics',
      'a block with the keys prefix, events, verdicts, sessions, control, checks, dead-letters, state, triage',
    ],
    ['worker.host', 'text'],
  ])('describes %s: %s', (path, words) =>
    expect(allowedValues(findSetting(settingsSchema, path)!.schema)).toBe(words),
  );
});

it.each([
  ['kafka.sasl.password', true],
  ['llm.api_key', true],
  ['server.api_token', true],
  ['kafka.client_id', false],
  ['budget.tokens', false],
  ['tool_call_loop.per_tool.get_key.mode', false],
])('isSecretPath: %s is %s', (path, secret) => expect(isSecretPath(path)).toBe(secret));
