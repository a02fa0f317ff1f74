import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TokenError } from '../../../src/kafka/login/token-error.ts';
import { createTokenSource } from '../../../src/kafka/login/token-source.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const now = () => Date.now();
const wait = async (ms: number) => {
  vi.setSystemTime(now() + ms);
  await Promise.resolve();
};

/** Issues numbered tokens, each valid for `lifetimeMs`; `fail` decides about each request, by its number. */
function issuer(lifetimeMs: number, fail: (request: number) => Error | undefined = () => undefined) {
  let requests = 0;
  const lines: string[] = [];
  const source = createTokenSource(
    async () => {
      requests += 1;
      const request = requests;
      await Promise.resolve();
      const error = fail(request);
      if (error !== undefined) throw error;
      return { value: `token-${request}`, expiresAt: now() + lifetimeMs };
    },
    { now, random: () => 0, wait, log: (_, message) => lines.push(message) },
  );
  return { source, lines, requests: () => requests };
}

describe('token source', () => {
  it('sends one request for all logins that wait', async () => {
    const { source, requests } = issuer(300_000);
    const tokens = await Promise.all([source.token(), source.token(), source.token()]);
    expect([...tokens, await source.token()]).toEqual(Array(4).fill('token-1'));
    expect(requests()).toBe(1);
  });

  it('renews a token when four fifths of its lifetime have passed, without a login', async () => {
    const { source, requests } = issuer(300_000);
    await source.token();
    await vi.advanceTimersByTimeAsync(239_999);
    expect(requests()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(requests()).toBe(2);
    expect(await source.token()).toBe('token-2');
  });

  it('keeps the current token while it cannot be renewed, and says so', async () => {
    const { source, lines } = issuer(300_000, (request) =>
      request > 1 ? new TokenError('No access token', 'Check it.') : undefined,
    );
    await source.token();
    await vi.advanceTimersByTimeAsync(280_000);
    expect(await source.token()).toBe('token-1');
    expect(lines[0]).toBe('No access token; the current token is used until it expires');
    await vi.advanceTimersByTimeAsync(10_000);
    await expect(source.token()).rejects.toThrow('No access token');
  });

  it('never hands out a token that expires during the login', async () => {
    const { source } = issuer(14_000);
    expect([await source.token(), await source.token()]).toEqual(['token-1', 'token-2']);
  });

  it('forgets a rejected token, but not a newer one', async () => {
    const { source } = issuer(300_000);
    source.discard(await source.token());
    expect(await source.token()).toBe('token-2');
    source.discard('token-1');
    expect(await source.token()).toBe('token-2');
  });

  it.each([
    { what: 'an outage that ends', fail: (request: number) => request < 3, requests: 3, ends: 'token-3' },
    { what: 'an outage that lasts', fail: () => true, requests: 6, ends: 'No access token' },
  ])('retries during $what', async ({ fail, requests: expected, ends }) => {
    const { source, requests } = issuer(300_000, (request) =>
      fail(request) ? new TokenError('No access token') : undefined,
    );
    const ended = await source.token().catch((error: unknown) => (error as Error).message);
    expect(ended).toBe(ends);
    expect(requests()).toBe(expected);
  });

  it('does not retry what needs another setting', async () => {
    const { source, requests } = issuer(300_000, () => new TokenError('No access token', 'Check it.'));
    await expect(source.token()).rejects.toMatchObject({ message: 'No access token', advice: 'Check it.' });
    expect(requests()).toBe(1);
  });
});
