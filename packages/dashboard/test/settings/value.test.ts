import { expect, test } from 'vitest';
import { readScope, scopeName, textOf } from '../../src/settings/value.ts';

test.each([
  [undefined, 'server'],
  ['server', 'server'],
  ['model:openai/gpt-5-mini', 'model:openai/gpt-5-mini'],
  ['model:a/b/c', 'model:a/b/c'],
  ['session:s:1', 'session:s:1'],
  ['model:gpt-5-mini', undefined],
  ['session:', undefined],
  ['tenant:x', undefined],
])('readScope: %s is %s', (text, scope) => {
  expect(readScope(text)).toBe(scope);
});

test.each([
  ['server', 'Server'],
  ['model:openai/gpt-5-mini', 'openai/gpt-5-mini'],
  ['session:s:1', 's:1'],
  ['unknown', ''],
])('scopeName: %s is shown as "%s"', (scope, name) => {
  expect(scopeName(scope)).toBe(name);
});

test.each([
  [null, ''],
  [undefined, ''],
  ['balanced', 'balanced'],
  [4, '4'],
  [false, 'false'],
  [['a'], '["a"]'],
])('textOf: %j is edited as "%s"', (value, text) => {
  expect(textOf(value)).toBe(text);
});
