import { describe, expect, test } from 'vitest';
import { sameIdentity, signature, toolIdentity } from '../../src/calls/tool-identity.ts';
import { canonicalArguments } from '../../src/lib/canonical-json.ts';

describe('tool identity', () => {
  const identity = (args: unknown, name = 'read') => toolIdentity(name, canonicalArguments(args));

  test.each([
    ['key order', { a: 1, b: 2 }, { b: 2, a: 1 }, true],
    ['an object and its JSON', { a: 1 }, ' {"a": 1.0} ', true],
    ['another value', { a: 1 }, { a: 2 }, false],
    ['a number and a string', { a: 1 }, { a: '1' }, false],
    ['missing arguments and an empty list', {}, '[]', false],
    [
      'long texts that differ at the end',
      { a: `${'x'.repeat(5000)}1` },
      { a: `${'x'.repeat(5000)}2` },
      false,
    ],
    ['equal long texts', { a: 'x'.repeat(5000) }, `{"a":"${'x'.repeat(5000)}"}`, true],
    ['lone surrogates in long raw texts', `${'x'.repeat(600)}\ud800`, `${'x'.repeat(600)}\ud801`, false],
  ])('compares %s', (_, a, b, same) => {
    expect(sameIdentity(identity(a), identity(b))).toBe(same);
  });

  test('includes the tool name', () => {
    expect(sameIdentity(identity({}, 'a'), identity({}, 'b'))).toBe(false);
  });

  test('keeps up to 512 units whole, and of longer arguments the beginning and a digest', () => {
    const raw = 'r'.repeat(512);
    expect(identity(raw)).toEqual({ name: 'read', arguments: raw, length: 512, digest: undefined });
    const longer = identity(`${raw}s`);
    expect(longer).toMatchObject({ arguments: raw, length: 513 });
    expect(longer.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(signature(longer)).toBe(`read:${raw}…`);
    expect(signature(identity({ a: 1 }))).toBe('read:{"a":1}');
  });
});
