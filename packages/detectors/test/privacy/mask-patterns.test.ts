import { describe, expect, test } from 'vitest';
import { maskPatterns, maskSecrets } from '../../src/index.ts';

const masked = (text: string, ...patterns: string[]) => maskSecrets(text, maskPatterns(patterns));

describe('patterns of users', () => {
  test.each([
    ['one', 'see cust-123456 now', ['cust-[0-9]{6}'], 'see ‹masked› now'],
    ['what two match, one within the other', 'abcd', ['bc', 'abcd'], '‹masked›'],
    ['what two match, one over the end of the other', 'xabcdx', ['abc', 'bcd'], 'x‹masked›x'],
    ['matches that follow each other', 'aaaa', ['a'], '‹masked›'],
    ['everything', 'a text', ['[^]+'], '‹masked›'],
    ['a line', 'one\ntwo', ['one.*'], '‹masked›\ntwo'],
    ['what the mask itself holds', 'ghp_abcdefghijklmnopqrstuvwxyz0123456789', ['masked'], '‹‹masked››'],
    ['dollars in the text', 'pay $& and $1', ['pay'], '‹masked› $& and $1'],
    ['characters of two units', 'a 😀 b', ['[😀]'], 'a ‹masked› b'],
    ['half of such a character never', 'a 😀 b', ['\\ud83d'], 'a 😀 b'],
    ['letters of any script', 'код: Ёлка', ['\\p{Lu}\\p{Ll}+'], 'код: ‹masked›'],
    ['nothing', 'a text', ['b'], 'a text'],
  ])('mask %s', (_, text, patterns, expected) => {
    expect(masked(text, ...patterns)).toBe(expected);
  });

  test('hide the rest of a text when they would take too long over it', () => {
    const names = Array.from({ length: 1000 }, (_, n) => `(?:[ab]*[ab]*[ab]*)*${String(n)}!`);
    expect(masked('ab'.repeat(2000), ...names)).toBe('‹masked›');
  });

  test('a thousand of them', () => {
    const names = Array.from({ length: 1000 }, (_, n) => `customer-${String(n)}\\b`);
    const text = 'An order of customer-77 came, and one of customer-7777. '.repeat(2000);
    expect(masked(text, ...names)).toBe(text.replaceAll('customer-77 ', '‹masked› '));
  });

  test('(a+)+$ over a long text that it is known for', () => {
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

describe('what is masked everywhere', () => {
  test.each(fragments)('takes no longer a character when a text is %j again and again', (fragment) => {
    // A search that is not linear would take minutes.
    for (const end of ['', '!', ' x']) {
      const text = fragment.repeat(Math.ceil(300_000 / fragment.length)) + end;
      expect(maskSecrets(text).length).toBeLessThanOrEqual(3 * text.length);
    }
  });
});
