import fc from 'fast-check';
import { expect, it } from 'vitest';
import { exactJson } from '../../src/index.ts';

it.each([
  ['{"id": 1212345678901234001}', { id: '1212345678901234001' }],
  ['[1212345678901234001,-1212345678901234002]', ['1212345678901234001', '-1212345678901234002']],
  ['9007199254740993', '9007199254740993'],
  ['{"a":{"b":[9007199254740991]}}', { a: { b: [9_007_199_254_740_991] } }],
  [
    '[0.1234567890123456789, 1e30, 1234567890123456789.5]',
    [0.1234567890123456789, 1e30, 1_234_567_890_123_456_800],
  ],
  ['{"1212345678901234001": 1}', { '1212345678901234001': 1 }],
  [
    '["a 1212345678901234001, \\", 1212345678901234001", 1]',
    ['a 1212345678901234001, ", 1212345678901234001', 1],
  ],
  ['["\\\\", 1212345678901234001]', ['\\', '1212345678901234001']],
])('exactJson: parses %s', (text, value) => expect(exactJson(text)).toEqual(value));

it.each(['{"id": 1212345678901234001', '["1212345678901234001', '1212345678901234001 1'])(
  'exactJson: refuses %s',
  (text) => expect(() => exactJson(text)).toThrow(SyntaxError),
);

it('exactJson: parses any JSON as JSON.parse does, but for long integers', () => {
  const short = fc.json().filter((text) => !/\d{16}/.test(text.replace(/"(?:[^"\\]|\\.)*"/g, '')));
  fc.assert(
    fc.property(short, (text) => {
      const beside = `[${text}, "9007199254740993", 9007199254740993]`;
      expect(exactJson(beside)).toEqual([JSON.parse(text), '9007199254740993', '9007199254740993']);
    }),
    { seed: 5, numRuns: 300 },
  );
});
