import { describe, expect, test } from 'vitest';
import { maskPatterns, maskSecrets } from '../../src/internal.ts';

const masked = (text: string, ...patterns: string[]) => maskSecrets(text, maskPatterns(patterns));

describe('user-defined mask patterns', () => {
  test.each([
    ['a match', 'see cust-123456 now', ['cust-[0-9]{6}'], 'see ‹masked› now'],
    ['nested matches as one', 'abcd', ['bc', 'abcd'], '‹masked›'],
    ['overlapping matches as one', 'xabcdx', ['abc', 'bcd'], 'x‹masked›x'],
    ['adjacent matches as one', 'aaaa', ['a'], '‹masked›'],
    ['a whole text', 'a text', ['[^]+'], '‹masked›'],
    ['a line without its line break', 'one\ntwo', ['one.*'], '‹masked›\ntwo'],
    [
      'text that the mask itself contains',
      'ghp_abcdefghijklmnopqrstuvwxyz0123456789',
      ['masked'],
      '‹‹masked››',
    ],
    ['text next to dollar signs', 'pay $& and $1', ['pay'], '‹masked› $& and $1'],
    ['characters of two units', 'a 😀 b', ['[😀]'], 'a ‹masked› b'],
    ['no half of a character of two units', 'a 😀 b', ['\\ud83d'], 'a 😀 b'],
    ['letters of any script', 'код: Ёлка', ['\\p{Lu}\\p{Ll}+'], 'код: ‹masked›'],
    ['nothing without a match', 'a text', ['b'], 'a text'],
  ])('mask %s', (_, text, patterns, expected) => {
    expect(masked(text, ...patterns)).toBe(expected);
  });

  test('mask the rest of a text when matching takes too long', () => {
    const names = Array.from({ length: 1000 }, (_, n) => `(?:[ab]*[ab]*[ab]*)*${String(n)}!`);
    expect(masked('ab'.repeat(2000), ...names)).toBe('‹masked›');
  });

  test('can number a thousand', () => {
    const names = Array.from({ length: 1000 }, (_, n) => `customer-${String(n)}\\b`);
    const text = 'An order of customer-77 came, and one of customer-7777. '.repeat(2000);
    expect(masked(text, ...names)).toBe(text.replaceAll('customer-77 ', '‹masked› '));
  });

  test('are immune to catastrophic backtracking: (a+)+$', () => {
    const text = `${'a'.repeat(200_000)}!`;
    expect(masked(text, '(a+)+$')).toBe(text);
    expect(masked(text, 'a.*z|a')).toBe('‹masked›!');
  });
});

const fragments = [
  'sk-',
  'rk-',
  'sk_live_',
  'ghp_',
  'github_pat_',
  'glpat-',
  'xoxb-',
  'AKIA',
  'AIza',
  'eyJ',
  'eyJ-',
  'eyJabcdefgh.',
  '-----BEGIN ',
  '-----BEGIN PRIVATE KEY-----',
  'PRIVATE KEY',
  '-----END ',
  'Bearer ',
  'Basic',
  'a://',
  'a-',
  'http://a:',
  'a:',
  '@',
  'token',
  'token=',
  'password="',
  "secret: '",
  '\\',
  '\\"',
  '"',
  ' ',
  '= ',
  'api_key\\":\\"',
];

describe('built-in masking', () => {
  test.each(fragments)('takes linear time for repetitions of %j', (fragment) => {
    // A search that is not linear would take minutes.
    for (const end of ['', '!', ' x']) {
      const text = fragment.repeat(Math.ceil(300_000 / fragment.length)) + end;
      expect(maskSecrets(text).length).toBeLessThanOrEqual(3 * text.length);
    }
  });
});
