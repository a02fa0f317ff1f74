import { describe, expect, it, test } from 'vitest';
import { maskPatterns } from '../../src/internal.ts';
import { SecretMask } from '../../src/privacy/secret-mask.ts';
import { run, text } from '../sessions.ts';

const pattern = 'SEKRIT-cust-[0-9]{6}-zzz';
const secret = 'SEKRIT-cust-123456-zzz';
const token = `ghp_${'a1B2c3D4'.repeat(4)}`;

/** Each text as it leaves, where all of them belong to one verdict. */
function shown(...texts: readonly string[]): string[] {
  const mask = new SecretMask(maskPatterns([pattern]));
  const masked = texts.map((one) => mask.mask(one));
  return masked.map((one) => mask.maskRests(one));
}

describe('a truncated secret', () => {
  it.each([
    ['at the end, if it is complete elsewhere', 'so SEKRIT-cust-12', 'so ‹masked›'],
    ['at the beginning', '456-zzz is it', '‹masked› is it'],
    ['if it is truncated on different sides', 'cust-123456-zzz, SEKRIT-cus', '‹masked›, ‹masked›'],
    ['if it is truncated on both sides', 'cust-1234', '‹masked›'],
    [
      'before an ellipsis in a quotation',
      'said “it is SEKRIT-cust-123…” twice',
      'said “it is ‹masked›…” twice',
    ],
    ['at the beginning of a quotation', 'said “56-zzz and more”', 'said “‹masked› and more”'],
  ])('is masked %s', (_, cut, expected) => {
    expect(shown(`It is ${secret}.`, cut)).toEqual(['It is ‹masked›.', expected]);
  });

  it.each([
    ['a configured pattern', 'so SEKRIT-cust-12', 'so ‹masked›'],
    ['the fixed text of a pattern', 'so SEKRIT-cu', 'so ‹masked›'],
    ['the fixed text of a pattern, before an ellipsis', 'so “SEKRIT-cu…” is it', 'so “‹masked›…” is it'],
    ['a token of a known shape', `so ${token.slice(0, 12)}`, 'so ‹masked›'],
    ['a token of a known shape, before an ellipsis', `so “${token.slice(0, 12)}…”`, 'so “‹masked›…”'],
    ['a password in an address', 'so db://joe:hunter2', 'so db://joe:‹masked›'],
    ['an authorization', 'so Bearer zQ8xW3', 'so Bearer ‹masked›'],
  ])('is masked at the end, even if it is complete nowhere: %s', (_, cut, expected) => {
    expect(shown(cut)).toEqual([expected]);
  });

  it.each([
    ['its key', '"password": "opens all doors"', ': "opens all doors" again'],
    ['its address', 'db://joe:hunter2long@host', 'oe:hunter2long@host again'],
    ['its scheme', 'Bearer zQ8xW3vU5tS7rP9o', 'rer zQ8xW3vU5tS7rP9o again'],
  ])('is masked without %s', (_, whole, cut) => {
    const [, rest] = shown(`It is ${whole} here`, cut);
    expect(rest).toContain('‹masked›');
    expect(rest).not.toMatch(/open|hunter|zQ8/);
  });

  it('is masked even without a sign of the truncation', () => {
    const cut = secret.slice(0, 18);
    expect(shown(`It is ${cut}`, `It failed: ${cut}. Try again`)[1]).toBe('It failed: ‹masked›. Try again');
  });

  it('is masked completely, even if a shorter part of it is known', () => {
    expect(shown('"token": "abcdefgh ', '"token": "abcdefgh ijkl"', 'abcdefgh ijkl again')[2]).toBe(
      '‹masked› again',
    );
  });

  it('is masked up to the end of a private key', () => {
    expect(shown('MIIEab\ncdef\n-----END RSA PRIVATE KEY----- again')).toEqual(['‹masked› again']);
  });

  it.each(['a word', 'ends in SEK', 'zzz begins', 'the sk- prefix', 'at http://localhost:8080'])(
    'is not found in “%s”',
    (plain) => {
      expect(shown(`It is ${secret}.`, plain)[1]).toBe(plain);
    },
  );
});

test.each([
  ['a configured pattern', secret, [pattern]],
  ['a known shape', token, []],
])('a verdict on text shows no part of a secret of %s', (_, hidden, mask) => {
  // The detector decides somewhere in the period: in the middle of the secret for some lengths.
  for (let filler = 0; filler < 30; filler += 1) {
    const said = `The customer is ${hidden} again${'.'.repeat(filler)} `.repeat(60);
    const events = (said.match(/[^]{1,16}/g) ?? []).map((piece) => text(piece));
    const verdicts = run(events, { preset: 'balanced', privacy: { mask } });
    expect(verdicts.length).toBeGreaterThan(0);
    const written = JSON.stringify(verdicts);
    const parts = Array.from({ length: hidden.length - 5 }, (_part, n) => hidden.slice(n, n + 6));
    expect(parts.filter((part) => written.includes(part))).toEqual([]);
  }
});
