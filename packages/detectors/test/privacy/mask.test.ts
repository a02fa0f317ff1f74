import { describe, expect, test } from 'vitest';
import { maskPatterns, maskSecrets } from '../../src/internal.ts';
import { call, run } from '../sessions.ts';

const filler = 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJ';
const part = (size: number) => filler.slice(0, size);

/** Secrets are put together here, so that no scanner takes this file for a leak. */
const secrets: readonly (readonly [name: string, text: string, secret: string])[] = [
  ['a model key', `use sk-${part(30)} now`, `sk-${part(30)}`],
  ['a payment key', `sk_live_${part(24)}`, `sk_live_${part(24)}`],
  ['a GitHub token', `ghp_${part(36)}`, `ghp_${part(36)}`],
  ['a token of Loopwatch itself', `lw_${'0f'.repeat(32)}`, `lw_${'0f'.repeat(32)}`],
  ['a fine-grained GitHub token', `github_pat_${part(40)}`, `github_pat_${part(40)}`],
  ['a GitLab token', `glpat-${part(20)}`, `glpat-${part(20)}`],
  ['a Slack token', `xoxb-${part(20)}`, `xoxb-${part(20)}`],
  ['an AWS key', `AKIA${part(26).slice(10).toUpperCase()}`, `AKIA${part(26).slice(10).toUpperCase()}`],
  ['a Google key', `AIza${part(35)}`, `AIza${part(35)}`],
  ['a JWT', `eyJ${part(20)}.${part(30)}.${part(20)}`, `eyJ${part(20)}.${part(30)}.${part(20)}`],
  ['a bearer token', `Authorization: Bearer ${part(20)}`, part(20)],
  ['basic authentication', `Basic ${part(20)}==`, part(20)],
  ['a password in a URL', 'postgres://me:hunter2@host/db', 'hunter2'],
  ['a password recognized by its key', '{"password":"hunter2!"}', 'hunter2!'],
  ['an API key recognized by its key', "{'api_key': 'short-one'}", 'short-one'],
  ['a key in JSON inside JSON', '{"body":"{\\"token\\":\\"hunter2\\"}"}', 'hunter2'],
  ['a password with quotes in it', '{"password":"ab\\"hunter2","user":"me"}', 'hunter2'],
  ['a truncated password', '{"user":"me","password":"hunter2', 'hunter2'],
  ['a private key', `-----BEGIN RSA PRIVATE KEY-----\n${part(40)}\n-----END RSA PRIVATE KEY-----`, part(40)],
  ['a truncated private key', `-----BEGIN PRIVATE KEY-----\n${part(40)}`, part(40)],
];

describe.each(secrets)('%s', (_, text, secret) => {
  test('is masked in a text', () => {
    expect(text).toContain(secret);
    expect(maskSecrets(text)).not.toContain(secret);
    expect(maskSecrets(text)).toContain('‹masked›');
  });

  test('never appears in a verdict on calls', () => {
    for (const args of [{ command: text }, text, { nested: [{ command: text }] }]) {
      const calls = Array.from({ length: 5 }, () => call('run', args));
      const verdicts = run(calls, { tool_call_loop: { mode: 'chance_then_block' } });
      expect(verdicts).toHaveLength(1);
      expect(JSON.stringify(verdicts)).not.toContain(JSON.stringify(secret).slice(1, -1));
    }
  });

  test('never appears in a verdict on text', () => {
    const line = `The value is ${text}, so let us look at it once more and see. `;
    const verdicts = run([{ type: 'content', text: line.repeat(14) }]);
    // What stands first on a line is structure, and restarts the search.
    expect(verdicts.length > 0).toBe(!text.includes('\n-----'));
    expect(JSON.stringify(verdicts)).not.toContain(JSON.stringify(secret).slice(1, -1));
  });
});

test.each([
  'The task force asked for a desk-based risk-free review.',
  'https://example.org/a?b=c',
  'tokens: 12',
  'mailto:someone@example.org',
])('masking: leaves “%s” unchanged', (text) => {
  expect(maskSecrets(text)).toBe(text);
});

test('masking: keeps what follows a masked value', () => {
  expect(maskSecrets('{"password":"a\\"b","token":"","user":"me"}')).toBe(
    '{"password":"‹masked›","token":"","user":"me"}',
  );
});

test('masking: applies further patterns', () => {
  expect(maskSecrets('order 4711 and 4712', maskPatterns(['47\\d\\d']))).toBe('order ‹masked› and ‹masked›');
});

describe('evidence', () => {
  test.each([
    ['huge texts', { text: 'x'.repeat(1_000_000) }],
    ['characters of three bytes', { text: '€'.repeat(100_000) }],
    ['characters of four bytes', { text: '😀'.repeat(100_000) }],
    ['characters escaped in JSON', { text: '\u0000'.repeat(100_000) }],
    ['quotes and backslashes', { text: '"\\'.repeat(100_000) }],
    ['many keys', Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`key${String(n)}`, n]))],
  ])('of %s stays within 32 KiB', (_, args) => {
    for (const preset of ['stream', 'similar'] as const) {
      const verdicts = run(
        Array.from({ length: 12 }, () => call('t'.repeat(1024), args)),
        { preset },
      );
      expect(verdicts.length).toBeGreaterThan(1);
      for (const { evidence } of verdicts)
        expect(Buffer.byteLength(JSON.stringify(evidence))).toBeLessThanOrEqual(32 * 1024);
    }
  });
});
