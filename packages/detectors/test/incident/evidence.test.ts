import { describe, expect, test } from 'vitest';
import {
  NOT_STORED,
  type Presentation,
  presentable,
  presentableText,
} from '../../src/privacy/presentable.ts';
import { SecretMask } from '../../src/privacy/secret-mask.ts';

const open: Presentation = { storeText: true, secrets: new SecretMask([]) };

const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

describe('oversized evidence', () => {
  test.each([
    ['letters', 'x'],
    ['characters of three bytes', '€'],
    ['characters of four bytes', '😀'],
    ['lone surrogates', '\ud800'],
    ['characters escaped in JSON', '\u0001'],
  ])('of %s is cut to just under 32 KiB', (_, character) => {
    const calls = Array.from({ length: 30 }, () => ({ arguments: character.repeat(3000) }));
    const shown = presentable({ calls }, open);
    expect(bytes(shown)).toBeLessThanOrEqual(32 * 1024);
    expect(bytes(shown)).toBeGreaterThan(12 * 1024);
    expect((shown['calls'] as unknown[]).length).toBe(16);
  });
});

test('evidence: small evidence is unchanged', () => {
  const evidence = { at: 3, text: 'x', list: [1, null, { a: true }], nothing: null };
  expect(presentable(evidence, open)).toEqual(evidence);
});

test('evidence: text is masked before it is cut', () => {
  const secret = `sk-${'abcdefghij'.repeat(4)}`;
  expect(presentableText(`${'x '.repeat(10)}${secret}`, 30, open)).toBe(`${'x '.repeat(10)}‹masked›`);
  expect(presentableText('x'.repeat(11), 10, open)).toBe(`${'x'.repeat(10)}…`);
});

test("evidence: everything but the agent's text remains if text is not stored", () => {
  const evidence = { at: 3, repeated: 'secret', calls: [{ name: 'read', arguments: 'secret' }] };
  const shown = presentable(evidence, { ...open, storeText: false });
  expect(shown).toEqual({ at: 3, repeated: NOT_STORED, calls: [{ name: 'read', arguments: NOT_STORED }] });
});
