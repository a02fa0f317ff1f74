import { expect, test } from 'vitest';
import { problemAt, problemsOf } from '../../src/settings/maps/problems.ts';
import { fieldsOfEntries } from '../../src/settings/maps/schema.ts';
import { sectionsOf } from '../../src/settings/sections.ts';
import { settingKey } from '../rows.ts';

test.each([
  [
    'prices',
    ['input number required', 'output number required', 'cached_input number', 'cache_write number'],
  ],
  ['per_tool', ['identity lines', 'volatile lines', 'poller boolean', 'mutating boolean', 'gui boolean']],
  ['agents', ['names lines', 'result_noise lines', 'not_run lines', 'harness_prompts lines', 'tools map']],
  [
    'tool_call_loop.per_tool',
    [
      'enabled boolean',
      'max_repeats number',
      'ttl_seconds number',
      'mode choice',
      'similarity_threshold number',
      'similarity block',
    ],
  ],
  ['budget.tokens', undefined],
])('fieldsOfEntries: of %s', (path, expected) => {
  const fields = fieldsOfEntries(path)?.map(({ key, kind, isRequired }) =>
    [key, kind, ...(isRequired ? ['required'] : [])].join(' '),
  );
  expect(fields).toEqual(expected);
});

test.each([
  ['prices', { 'gpt-5': { input: 1, output: 2 } }, []],
  ['prices', { 'gpt-5': { input: 1 } }, ['gpt-5.output: must be a number']],
  ['prices', { 'gpt-5': { input: '1,5', output: 2 } }, ['gpt-5.input: must be a number']],
  [
    'prices',
    { 'gpt-5': { input: -1, output: 2_000_000 } },
    ['gpt-5.input: must be at least 0', 'gpt-5.output: must be at most 1000000'],
  ],
  [
    'tool_call_loop.per_tool',
    { ls: { ttl_seconds: 0, mode: 'x' } },
    [
      'ls.ttl_seconds: must be more than 0',
      'ls.mode: must be one of warn, block, chance_then_block, break, chance, chance_then_break',
    ],
  ],
  ['per_tool', { ls: { polled: true } }, ['ls: unknown key polled']],
  [
    'agents',
    { coder: { not_run: ['{word}'] } },
    [expect.stringContaining('coder.not_run.0: must start with at least four literal characters')],
  ],
  [
    'tool_call_loop.per_tool',
    { ls: { max_repeats: 1, ttl_seconds: null } },
    ['ls.max_repeats: must be at least 2'],
  ],
])('problemsOf: of %s %j', (path, value, expected) => {
  expect(problemsOf(path, value).map(({ at, text }) => `${at.map(String).join('.')}: ${text}`)).toEqual(
    expected,
  );
});

test('problemAt: names the line of a list, and only problems of the field itself', () => {
  const problems = problemsOf('agents', { coder: { not_run: ['It did not run', '{word}'] } });
  expect(problemAt(problems, ['coder', 'not_run'], true)).toMatch(/^line 2 must start with/);
  expect(problemAt(problems, ['coder', 'names'], true)).toBeUndefined();
  expect(problemAt(problems, ['coder'], false)).toBeUndefined();
});

test('sectionsOf: a section for each block and map, general settings together', () => {
  const keys = ['enabled', 'budget.tokens', 'preset', 'budget.usd'].map((path) => settingKey({ path }));
  const maps = ['per_tool', 'prices'].map((path) => settingKey({ path, type: 'map' }));
  const shown = sectionsOf([...keys, ...maps]).map(({ id, title, keys: items }) => [id, title, items.length]);
  expect(shown).toEqual([
    ['general', 'General', 2],
    ['budget', 'Budget', 2],
    ['per_tool', 'Tools', 1],
    ['prices', 'Prices', 1],
  ]);
});
