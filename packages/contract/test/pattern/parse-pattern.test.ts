import { describe, expect, test } from 'vitest';
import { parsePattern, resolveSettings } from '../../src/index.ts';

describe('a pattern of a user', () => {
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
  ])('%s is taken', (pattern) => {
    expect(parsePattern(pattern)).toMatchObject({ ok: true });
  });

  test.each([
    ['(', 'is no regular expression: Unterminated group'],
    [
      '(?=a)b',
      'has (?= at character 1, which looks at what stands around a match: write only what is to match',
    ],
    [
      'x(?<!a)b',
      'has (?<! at character 2, which looks at what stands around a match: write only what is to match',
    ],
    ['(a)\\1', 'has \\1 at character 4, which refers back to a group: write out what it stands for'],
    ['(?<n>a)\\k<n>', 'has \\k at character 8, which refers back to a group: write out what it stands for'],
    ['\\Aabc', 'has \\A at character 1, which means nothing: write A if the letter is meant'],
    ['x[\\q]', 'has [\\q] at character 2, which is not clear: write it as JavaScript takes it with flag u'],
    ['a*', 'matches the empty text too: write + in place of *'],
    ['\\b', 'matches the empty text too: write + in place of *'],
    ['a|', 'matches the empty text too: write + in place of *'],
    ['', 'matches the empty text too: write + in place of *'],
    ['(?:[ab]{100}){100}', 'takes 20302 places written out, of at most 1000: write + or smaller numbers'],
  ])('%s is refused', (pattern, why) => {
    expect(parsePattern(pattern)).toEqual({ ok: false, why });
  });
});

describe('a refused pattern among settings is named, with its place', () => {
  const why =
    '"(?=a)b" has (?= at character 1, which looks at what stands around a match: write only what is to match';
  const refused = { privacy: { mask: ['fine', '(?=a)b'] } };

  test('in a file', () => {
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

  test('in the environment', () => {
    const environment = { LOOPWATCH_PRIVACY_MASK: '["fine","(?=a)b"]' };
    const result = resolveSettings({ environment, flags: {} });
    expect('errors' in result && result.errors.join()).toContain('LOOPWATCH_PRIVACY_MASK: privacy.mask is');
    expect('errors' in result && result.errors.join()).toContain(`privacy.mask.1 ${why}`);
  });
});
