import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalArguments, canonicalJson } from '../../src/lib/canonical-json.ts';

describe('canonicalJson follows RFC 8785', () => {
  // Its appendix B: the IEEE 754 bits of a number, and how it is written.
  test.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('writes the number %s as %s', (bits, text) => {
    const view = new DataView(new ArrayBuffer(8));
    view.setBigUint64(0, BigInt(`0x${bits}`));
    expect(canonicalJson(view.getFloat64(0))).toBe(text);
  });

  test('sorts keys by their UTF-16 units', () => {
    const keys = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6'];
    const sorted = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33'];
    const value = Object.fromEntries(keys.map((key, i) => [key, i]));
    expect(Object.keys(JSON.parse(canonicalJson(value)) as object).toSorted()).toEqual(sorted);
    expect(canonicalJson(value)).toBe(
      `{${sorted.map((key) => `${JSON.stringify(key)}:${String(keys.indexOf(key))}`).join(',')}}`,
    );
  });

  test('escapes only what JSON requires', () => {
    expect(canonicalJson('\u20ac$\u000f\nA\'B"\\\\"/\u2028')).toBe(
      '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/\u2028"',
    );
  });

  test('gives the result of its example', () => {
    const value: unknown = JSON.parse(
      '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
    );
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });
});

test('canonicalJson: parses back to the value, independent of the order of keys', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (json) => {
      const value: unknown = JSON.parse(JSON.stringify(json));
      const text = canonicalJson(value);
      expect(JSON.parse(text)).toEqual(value);
      expect(canonicalJson(reversed(value))).toBe(text);
      expect(canonicalJson(JSON.parse(text))).toBe(text);
    }),
    { seed: 5, numRuns: 2000 },
  );
});

/** The same value with every object's keys the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toReversed();
  return Object.fromEntries(entries.map(([key, entry]) => [key, reversed(entry)]));
}

describe('canonicalJson of values beyond JSON', () => {
  const loop: Record<string, unknown> = {};
  loop['self'] = [loop];
  test.each([
    ['a cycle', loop, '{"self":[<cycle>]}'],
    ['the same object twice, which is no cycle', [[1], [1]], '[[1],[1]]'],
    ['undefined', { a: undefined, b: [undefined] }, '{"b":[<undefined>]}'],
    ['a bigint', 12n, '12n'],
    ['not a number', [Number.NaN, Number.POSITIVE_INFINITY, -0], '[NaN,Infinity,0]'],
    ['a function and a symbol', [() => 1, Symbol('x')], '[<function>,<symbol>]'],
    ['__proto__ as a key', JSON.parse('{"__proto__":{"a":1},"a":2}'), '{"__proto__":{"a":1},"a":2}'],
    ['a lone surrogate', '\ud800', '"\\ud800"'],
    ['an array with holes', new Array(2), '[<undefined>,<undefined>]'],
  ])('%s', (_, value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  test('writes a shared object each time', () => {
    const shared = { a: 1 };
    expect(canonicalJson({ x: shared, y: [shared, shared] })).toBe('{"x":{"a":1},"y":[{"a":1},{"a":1}]}');
  });

  test('supports ten thousand levels', () => {
    const depth = 10_000;
    const array: unknown = JSON.parse('['.repeat(depth) + ']'.repeat(depth));
    expect(canonicalJson(array)).toBe('['.repeat(depth) + ']'.repeat(depth));
    let object: unknown = 1;
    for (let i = 0; i < depth; i += 1) object = { a: object };
    expect(canonicalJson(object)).toHaveLength(depth * 6 + 1);
  });
});

describe('canonical arguments', () => {
  test.each([
    [undefined, '{}'],
    [null, '{}'],
    ['', '{}'],
    ['  ', '{}'],
    ['null', '{}'],
    [{}, '{}'],
    ['{}', '{}'],
    ['{"b":1,"a":[1.0,"x"]}', '{"a":[1,"x"],"b":1}'],
    [{ b: 1, a: [1, 'x'] }, '{"a":[1,"x"],"b":1}'],
    [' not json ', 'not json'],
    ['"text"', '"text"'],
    ['12345678901234567890', '"12345678901234567890"'],
    ['{"a":1', '{"a":1'],
    ['{"__proto__":1}', '{"__proto__":1}'],
    ['['.repeat(10_000) + ']'.repeat(10_000), '['.repeat(10_000) + ']'.repeat(10_000)],
  ])('of %j', (args, canonical) => {
    expect(canonicalArguments(args)).toBe(canonical);
  });
});
