import { expect, it } from 'vitest';
import { readableValue, valueLine } from '../../src/session/readable-value.ts';

it('arguments are read member by member, with their line breaks', () => {
  expect(readableValue('{"command":"a\\nb","n":1}').members).toEqual([
    { name: 'command', text: 'a\nb', isLong: true },
    { name: 'n', text: '1', isLong: false },
  ]);
});

it.each([
  ['old_string', 'new_string'],
  ['old_str', 'new_str'],
  ['search', 'replace'],
])('an edit by %s and %s is a difference', (before, after) => {
  const json = JSON.stringify({ path: 'a.ts', [before]: '1\n2\n3\nx\n4', [after]: '1\n2\n3\ny\nz\n4' });
  expect(readableValue(json)).toEqual({
    members: [{ name: 'path', text: 'a.ts', isLong: false }],
    edit: [
      { kind: 'same', text: '2' },
      { kind: 'same', text: '3' },
      { kind: 'removed', text: 'x' },
      { kind: 'added', text: 'y' },
      { kind: 'added', text: 'z' },
      { kind: 'same', text: '4' },
    ],
  });
});

it.each([
  ['plain text', 'a\nb', 'a\nb'],
  ['JSON text', '"a\\nb"', 'a\nb'],
  ['a number', '42', '42'],
  ['content blocks', '[{"type":"text","text":"a"},{"type":"text","text":"b"}]', 'a\nb'],
  ['another list', '[1]', '[\n  1\n]'],
  ['an empty list', '[]', '[]'],
])('%s is read as text', (_, json, text) => {
  expect(readableValue(json).text).toBe(text);
});

it('the line of a call has its members on one line', () => {
  expect(valueLine('{"path":"a.ts","text":"x\\n  y"}')).toBe('a.ts  x y');
  expect(valueLine(`{"text":"${'x'.repeat(1_000_000)}`).length).toBeLessThanOrEqual(400);
});
