import { expect, test } from 'vitest';
import { limitedResult } from '../../src/api/json.ts';

const limit = {
  limit_reached: true,
  limit_message: 'Tool call limit reached (3). Stopping tool loop.',
};

test.each<[string, unknown, object]>([
  ['keeps the entries of an object in JSON', '{"output": "x", "count": 1}', { output: 'x', count: 1 }],
  ['keeps the entries of an object', { output: 'x', rows: [1] }, { output: 'x', rows: [1] }],
  ['accepts an empty object', '{}', {}],
  ['wraps text', 'plain text', { output: 'plain text' }],
  ['wraps empty text', '', { output: '' }],
  ['wraps a list in JSON', '[1, 2]', { output: '[1, 2]' }],
  ['wraps a number', '5', { output: '5' }],
  ['wraps null', 'null', { output: 'null' }],
  ['wraps a list', [{ type: 'text', text: 'x' }], { output: [{ type: 'text', text: 'x' }] }],
  ['wraps truncated JSON', '{"output": ', { output: '{"output": ' }],
  ['overrides the limit fields of the tool', '{"limit_reached": false, "limit_message": "none"}', {}],
])('limitedResult: %s', (_, result, expected) => {
  expect(JSON.parse(limitedResult(result, limit.limit_message))).toEqual({ ...expected, ...limit });
});
