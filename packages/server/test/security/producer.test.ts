import { expect, it, onTestFinished } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import { startServer, topics } from '../running-server.ts';

const emptyDatabase = sharedPglite();
const tokens = { operator: 'o'.repeat(32), viewer: 'v'.repeat(32), producer: 'p'.repeat(32) };

it('a producer cannot log in', async () => {
  const { url, server } = await startServer({ openDatabase: emptyDatabase, tokens });
  onTestFinished(() => server.stop());
  const login = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: tokens.producer }),
  });
  expect([login.status, login.headers.has('set-cookie')]).toEqual([403, false]);
});

it('cookies: the key is random, stays over restarts, and ends with a changed token', async () => {
  const first = await startServer({ openDatabase: emptyDatabase, tokens });
  const { headers } = await fetch(`${first.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: tokens.viewer }),
  });
  const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
  const statusAt = async (url: string) =>
    (await fetch(`${url}/api/v1/stats`, { headers: { cookie } })).status;
  expect(await statusAt(first.url)).toBe(200);
  await first.server.stop();
  // Another database has another key, though the tokens are the same.
  const other = await startServer({ openDatabase: emptyDatabase, tokens });
  expect(await statusAt(other.url)).toBe(401);
  await other.server.stop();
});

it('a right token among guesses is answered no sooner than a wrong one', async () => {
  const { url, server } = await startServer({ openDatabase: emptyDatabase, tokens });
  onTestFinished(() => server.stop());
  const ask = async (token: string) =>
    (await fetch(`${url}/api/v1/stats`, { headers: { authorization: `Bearer ${token}` } })).status;
  expect(await ask(tokens.operator)).toBe(200);
  // A misconfigured client that repeats one wrong token does not lock out the others.
  for (let n = 0; n < 30; n += 1) expect(await ask('the-same-wrong-one')).toBe(401);
  expect(await ask(tokens.operator)).toBe(200);
  for (let n = 0; n < 10; n += 1) await ask(`guess-${String(n)}`);
  const statuses = await Promise.all([ask('one-more'), ask(tokens.operator), ask(tokens.viewer), ask('x')]);
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(3);
  const metrics = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${tokens.operator}` } });
  expect(await metrics.text()).toMatch(/refused_tokens_total\{result="limited"\} [3-6]/);
});

it.each([
  ['an event', { sessionId: 's', type: 'control', set: { enabled: false } }],
  [
    'a CloudEvent',
    {
      specversion: '1.0',
      id: '1',
      source: '/a',
      type: 'e',
      data: { sessionId: 's', type: 'control', unset: [] },
    },
  ],
])('a producer cannot change settings, with %s', async (_, control) => {
  const { url, log, server } = await startServer({ openDatabase: emptyDatabase, tokens });
  onTestFinished(() => server.stop());
  const post = async (token: string, events: readonly object[]) => {
    const body = events.map((event) => JSON.stringify(event)).join('\n');
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' };
    const response = await fetch(`${url}/api/v1/events`, { method: 'POST', headers, body });
    return { status: response.status, body: await response.json() };
  };
  const text = { sessionId: 's', type: 'content', text: 'a' };
  expect(await post(tokens.producer, [control])).toMatchObject({ status: 403 });
  expect(await post(tokens.producer, [text, control])).toMatchObject({
    status: 202,
    body: { accepted: 1, rejected: [{ line: 2, code: 'not_allowed' }] },
  });
  expect(log.topics.get(topics.events)).toHaveLength(1);
  expect(await post(tokens.operator, [control])).toMatchObject({ status: 202, body: { accepted: 1 } });
});
