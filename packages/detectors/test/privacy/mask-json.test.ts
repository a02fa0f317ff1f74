import { describe, expect, it } from 'vitest';
import { maskJson, maskPatterns } from '../../src/internal.ts';

describe('maskJson', () => {
  it.each<[name: string, value: unknown, masked: unknown]>([
    ['a text', { a: ['DB_PASSWORD=sunflower-88'] }, { a: ['DB_PASSWORD=‹masked›'] }],
    ['what its key names', { password: 'sunflower-88' }, { password: '‹masked›' }],
    ['what its key names, deep inside', { a: [{ api_key: 'x81-sun' }] }, { a: [{ api_key: '‹masked›' }] }],
    ['JSON within a text', { body: '{"password":"sunflower-88"}' }, { body: '{"password":"‹masked›"}' }],
    [
      'a key that never ends, and nothing after it',
      { a: '-----BEGIN PRIVATE KEY-----\nMIIB', b: 'shown' },
      { a: '‹masked›', b: 'shown' },
    ],
    ['a match of a pattern', { id: 'cust-123456' }, { id: '‹masked›' }],
    ['an own __proto__', JSON.parse('{"__proto__":{"password":"sunflower-88"}}'), expect.anything()],
  ])('masks %s', (_, value, masked) => {
    const shown = maskJson(value, maskPatterns(['cust-\\d+']));
    expect(shown).toEqual(masked);
    expect(JSON.stringify(shown)).not.toContain('sunflower');
  });

  it('returns the same value if nothing is masked', () => {
    const value = { a: [1, null, 'text', { b: true }] };
    expect(maskJson(value)).toBe(value);
  });
});
