import { describe, expect, it, test } from 'vitest';
import { maskPatterns } from '../../src/index.ts';
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

describe('what a cut leaves of a secret', () => {
  it.each([
    ['at the end, where it is whole elsewhere', 'so SEKRIT-cust-12', 'so ‹masked›'],
    ['at the beginning', '456-zzz is it', '‹masked› is it'],
    ['on both sides', 'cust-123456-zzz, SEKRIT-cus', '‹masked›, ‹masked›'],
    ['all around', 'cust-1234', '‹masked›'],
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
    ['of a pattern of the settings', 'so SEKRIT-cust-12', 'so ‹masked›'],
    ['of a token by its shape', `so ${token.slice(0, 12)}`, 'so ‹masked›'],
    ['before an ellipsis', `so “${token.slice(0, 12)}…”`, 'so “‹masked›…”'],
  ])('is masked at the end, though it is whole nowhere: %s', (_, cut, expected) => {
    expect(shown(cut)).toEqual([expected]);
  });

  it.each(['a word', 'ends in SEK', 'zzz begins', 'the sk- prefix'])('is not seen in “%s”', (plain) => {
    expect(shown(`It is ${secret}.`, plain)[1]).toBe(plain);
  });
});

test.each([
  ['a pattern of the settings', secret, [pattern]],
  ['a known shape', token, []],
])('a loop of texts shows no part of a secret of %s', (_, hidden, mask) => {
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
