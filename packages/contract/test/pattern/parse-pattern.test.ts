import { describe, expect, test } from 'vitest';
import { parsePattern, resolveSettings } from '../../src/internal.ts';

describe('parsePattern', () => {
  test.each([
    'cust-[0-9]{6}',
    '(a+)+$',
    '\\bkey_(?:live|test)_\\w{8,}?',
    '[\\w-.]+@corp\\.com',
    '[^]+',
    '(?<name>a)|b',
    '\\p{Lu}+',
    '\\u00e9\\x41\\u{1F600}',
    '\\-\\_\\"\\/x',
    '[\\-\\_]',
    'a{,2}',
    'x{2,}',
    '😀+',
    ']}',
  ])('accepts %s', (pattern) => {
    expect(parsePattern(pattern)).toMatchObject({ ok: true });
  });

  test.each([
    ['(', 'is not a valid regular expression: Unterminated group'],
    ['(?=a)b', 'has (?= at character 1, which is lookaround and not supported: write only what should match'],
    [
      'x(?<!a)b',
      'has (?<! at character 2, which is lookaround and not supported: write only what should match',
    ],
    [
      '(a)\\1',
      'has \\1 at character 4, which is a backreference and not supported: write out what it refers to',
    ],
    [
      '(?<n>a)\\k<n>',
      'has \\k at character 8, which is a backreference and not supported: write out what it refers to',
    ],
    ['\\Aabc', 'has \\A at character 1, which is not a known escape: write A for the letter'],
    ['x[\\q]', 'has [\\q] at character 2, which is invalid in JavaScript with flag u'],
    ['x(?i)a', 'has flags at character 2, which are not supported: write both cases, as in [aA]'],
    ['(?i:a)b', 'has flags at character 1, which are not supported: write both cases, as in [aA]'],
    ['a*', 'matches empty text: write + instead of *'],
    ['\\b', 'matches empty text: write + instead of *'],
    ['a|', 'matches empty text: write + instead of *'],
    ['', 'matches empty text: write + instead of *'],
    ['(?:[ab]{100}){100}', 'has 20302 states, more than 1000: write + or use smaller numbers'],
  ])('rejects %s with the position and a remedy', (pattern, why) => {
    expect(parsePattern(pattern)).toEqual({ ok: false, why });
  });
});

describe('resolveSettings: an invalid mask pattern is reported with its path', () => {
  const why =
    '"(?=a)b" has (?= at character 1, which is lookaround and not supported: write only what should match';
  const refused = { privacy: { mask: ['fine', '(?=a)b'] } };

  test('from a file', () => {
    const result = resolveSettings({
      file: { name: 'loopwatch.yaml', value: refused },
      environment: {},
      flags: {},
    });
    expect(result).toMatchObject({ ok: false });
    expect('errors' in result && result.errors.join()).toContain(
      'loopwatch.yaml: privacy.mask is ["fine","(?=a)b"]',
    );
    expect('errors' in result && result.errors.join()).toContain(`privacy.mask.1 ${why}`);
  });

  test('from an environment variable', () => {
    const environment = { LOOPWATCH_PRIVACY_MASK: '["fine","(?=a)b"]' };
    const result = resolveSettings({ environment, flags: {} });
    expect('errors' in result && result.errors.join()).toContain('LOOPWATCH_PRIVACY_MASK: privacy.mask is');
    expect('errors' in result && result.errors.join()).toContain(`privacy.mask.1 ${why}`);
  });
});
