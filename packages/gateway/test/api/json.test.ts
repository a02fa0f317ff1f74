import { expect, test } from 'vitest';
import { limitedResult } from '../../src/api/json.ts';

const limit = {
  limit_reached: true,
  limit_message: 'Tool call limit reached (3). Stopping tool loop.',
};

test.each<[string, unknown, object]>([
  ['an object keeps its entries', '{"output": "x", "count": 1}', { output: 'x', count: 1 }],
  ['also as a value', { output: 'x', rows: [1] }, { output: 'x', rows: [1] }],
  ['also an empty one', '{}', {}],
  ['a text', 'plain text', { output: 'plain text' }],
  ['no text', '', { output: '' }],
  ['a list is no object', '[1, 2]', { output: '[1, 2]' }],
  ['nor is a number', '5', { output: '5' }],
  ['nor null', 'null', { output: 'null' }],
  ['nor is a list as a value', [{ type: 'text', text: 'x' }], { output: [{ type: 'text', text: 'x' }] }],
  ['what is cut off', '{"output": ', { output: '{"output": ' }],
  ['what the tool says of limits gives way', '{"limit_reached": false, "limit_message": "none"}', {}],
])('a result that says that the limit is reached: %s', (_, result, expected) => {
  expect(JSON.parse(limitedResult(result, limit.limit_message))).toEqual({ ...expected, ...limit });
});
