import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, DatabaseUnavailable, openDatabase } from '@loopwatch/storage';
import { waitFor } from '@loopwatch/testkit';
import { pino } from 'pino';
import { io, type Socket } from 'socket.io-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import type { ServerDeps } from '../../src/index.ts';
import { startServer } from '../running-server.ts';

const tokens = { operator: 'operator-token-of-length', viewer: 'viewer-token-of-length' };
const emptyDatabase = sharedPglite();

/** A server, until the test ends; with the lines that it logs. */
async function start(deps: Partial<ServerDeps>) {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line) as never) });
  const started = await startServer({ openDatabase: emptyDatabase, logger, ...deps });
  let stopped = false;
  const stop = async (): Promise<void> => {
    if (!stopped) await started.server.stop();
    stopped = true;
  };
  onTestFinished(stop);
  const request = (path: string, init: RequestInit = {}) =>
    fetch(started.url + path, { redirect: 'manual', ...init });
  const withToken = (path: string, token: string, headers: Record<string, string> = {}) =>
    request(path, { headers: { ...headers, authorization: `Bearer ${token}` } });
  const login = async (token: string): Promise<string> => {
    const answer = await request('/api/v1/auth/login', { method: 'POST', body: JSON.stringify({ token }) });
    expect(answer.status).toBe(204);
    return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  };
  const said = (text: string) => lines.filter(({ msg }) => msg === text);
  return { ...started, request, withToken, login, said, stop, lines };
}

const event = '{"type":"session_ended","sessionId":"s"}';

function listen(url: string, headers: Record<string, string>): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = io(`${url}/live`, {
      extraHeaders: headers,
      reconnection: false,
      forceNew: true,
      transports: ['websocket'],
    });
    socket.on('snapshot', () => resolve(socket));
    socket.on('connect_error', () => {
      socket.disconnect();
      resolve(undefined);
    });
    onTestFinished(() => {
      socket.disconnect();
    });
  });
}

describe('token guessing is limited', () => {
  let guesses = 0;
  /** Another token each time: repeating one is no guessing. */
  const nextGuess = () => `guess-${String((guesses += 1))}`;
  const waysIn: [string, (server: Awaited<ReturnType<typeof start>>) => Promise<number>][] = [
    [
      'POST /api/v1/events',
      async ({ request }) => {
        const init = { method: 'POST', body: event, headers: { authorization: `Bearer ${nextGuess()}` } };
        return (await request('/api/v1/events', init)).status;
      },
    ],
    ['GET /metrics', async ({ withToken }) => (await withToken('/metrics', nextGuess())).status],
    [
      'a page',
      async ({ withToken }) => (await withToken('/incidents', nextGuess(), { accept: 'text/html' })).status,
    ],
    [
      'POST /api/v1/auth/login',
      async ({ request }) =>
        (
          await request('/api/v1/auth/login', {
            method: 'POST',
            body: JSON.stringify({ token: nextGuess() }),
          })
        ).status,
    ],
    [
      'POST /login',
      async ({ request }) =>
        (await request('/login', { method: 'POST', body: new URLSearchParams({ token: nextGuess() }) }))
          .status,
    ],
  ];
  it.each(waysIn)('at %s', async (_name, guess) => {
    const server = await start({ tokens });
    const statuses: number[] = [];
    for (let n = 0; n < 11; n += 1) statuses.push(await guess(server));
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
    // The right token is still taken, but no sooner than another one.
    expect((await server.withToken('/api/v1/stats', tokens.operator)).status).toBe(200);
    const both = await Promise.all([guess(server), server.withToken('/metrics', tokens.operator)]);
    expect([both[0], both[1].status]).toContain(429);
    const metrics = await server.withToken('/metrics', tokens.operator);
    expect(await metrics.text()).toContain('loopwatch_server_refused_tokens_total{result="wrong"} 10');
    await server.stop();
    expect(server.said('Too many wrong tokens; slowing down')).toHaveLength(1);
    expect(server.said('Wrong tokens within the last minute')).toHaveLength(1);
  });

  it('for sockets', async () => {
    const server = await start({ tokens });
    for (let n = 0; n < 11; n += 1) {
      expect(await listen(server.url, { authorization: `Bearer ${nextGuess()}` })).toBeUndefined();
    }
    expect((await server.withToken('/metrics', nextGuess())).status).toBe(429);
    expect(await listen(server.url, { authorization: `Bearer ${tokens.viewer}` })).toBeDefined();
  });

  it('per client behind a trusted proxy, per proxy otherwise', async () => {
    for (const trustProxy of [['loopback'], []]) {
      const server = await start({ tokens, trustProxy });
      const guess = async (client: string): Promise<number> =>
        (await server.withToken('/metrics', nextGuess(), { 'x-forwarded-for': client })).status;
      for (let n = 0; n < 10; n += 1) await guess('203.0.113.7');
      expect(await guess('203.0.113.7')).toBe(429);
      expect(await guess('203.0.113.8')).toBe(trustProxy.length === 1 ? 401 : 429);
    }
  });
});

describe('a logout', () => {
  it('ends that login on all pages, sockets and streams at once', async () => {
    const server = await start({ tokens });
    const cookie = await server.login(tokens.viewer);
    const other = await server.login(tokens.viewer);
    const [stream, otherStream] = await Promise.all(
      [cookie, other].map((login) =>
        server.request('/api/v1/sessions/s-1/verdicts/stream', { headers: { cookie: login } }),
      ),
    );
    const [socket, otherSocket] = await Promise.all([
      listen(server.url, { cookie }),
      listen(server.url, { cookie: other }),
    ]);
    const ended = new Promise((resolve) => socket?.on('disconnect', resolve));
    const out = await server.request('/api/v1/auth/logout', { method: 'POST', headers: { cookie } });
    expect(out.status).toBe(204);
    const loggedOutAt = performance.now();
    await ended;
    await stream?.text();
    // The next heartbeat would end it, too.
    expect(performance.now() - loggedOutAt).toBeLessThan(10_000);
    const otherReader = otherStream?.body?.getReader();
    const otherEnded = (async () => {
      for (;;) if ((await otherReader?.read())?.done !== false) return 'ended';
    })();
    expect(await Promise.race([otherEnded, Promise.resolve('open')])).toBe('open');
    await otherReader?.cancel();
    expect((await server.request('/api/v1/stats', { headers: { cookie } })).status).toBe(401);
    expect(await listen(server.url, { cookie })).toBeUndefined();
    expect((await server.request('/api/v1/stats', { headers: { cookie: other } })).status).toBe(200);
    expect(otherSocket?.connected).toBe(true);
    expect(server.said('Logged in')).toHaveLength(2);
    expect(server.said('Logged out')).toEqual([expect.objectContaining({ user: 'viewer', role: 'viewer' })]);
  });

  it('survives a restart; a changed token ends all its logins', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'loopwatch-logins-'));
    onTestFinished(() => rm(dir, { recursive: true }));
    const openOwn = () => openDatabase({ data_dir: dir, database_url: undefined }, pino({ level: 'silent' }));
    const first = await start({ tokens, openDatabase: openOwn });
    const [ended, kept] = [await first.login(tokens.viewer), await first.login(tokens.viewer)];
    await first.request('/api/v1/auth/logout', { method: 'POST', headers: { cookie: ended } });
    await first.stop();
    const statuses = async ({ request }: typeof first) =>
      Promise.all(
        [ended, kept].map(async (cookie) => (await request('/api/v1/stats', { headers: { cookie } })).status),
      );
    const second = await start({ tokens, openDatabase: openOwn });
    expect(await statuses(second)).toEqual([401, 200]);
    await second.stop();
    const third = await start({
      tokens: { ...tokens, viewer: 'another-token-of-length' },
      openDatabase: openOwn,
    });
    expect(await statuses(third)).toEqual([401, 401]);
  });

  it('applies to all servers of the database', async () => {
    const open = await emptyDatabase();
    const shared = () => Promise.resolve({ ...open, close: () => Promise.resolve() });
    onTestFinished(() => open.close());
    const [one, other] = [
      await start({ tokens, openDatabase: shared }),
      await start({ tokens, openDatabase: shared }),
    ];
    const cookie = await one.login(tokens.operator);
    const socket = await listen(other.url, { cookie });
    await one.request('/api/v1/auth/logout', { method: 'POST', headers: { cookie } });
    await waitFor(() => socket?.connected === false);
    expect((await other.request('/api/v1/stats', { headers: { cookie } })).status).toBe(401);
  });
});

it('logins: a logout reaches a server whose database fails at that moment', async () => {
  const open = await emptyDatabase();
  onTestFinished(() => open.close());
  const close = () => Promise.resolve();
  let failures = 0;
  const failing: Database = {
    ...open,
    close,
    query: (sql, parameters) => {
      if (!sql.includes('from revoked_logins where expires_at >') || failures === 0)
        return open.query(sql, parameters);
      failures -= 1;
      return Promise.reject(new DatabaseUnavailable('a moment'));
    },
  };
  const one = await start({ tokens, openDatabase: () => Promise.resolve({ ...open, close }) });
  const other = await start({ tokens, openDatabase: () => Promise.resolve(failing) });
  const cookie = await one.login(tokens.operator);
  const status = async () => (await other.request('/api/v1/stats', { headers: { cookie } })).status;
  expect(await status()).toBe(200);
  failures = 1;
  await one.request('/api/v1/auth/logout', { method: 'POST', headers: { cookie } });
  await waitFor(async () => (await status()) === 401);
  expect(other.said('Revoked logins could not be loaded; retrying')).toHaveLength(1);
});

it('logins: a rejected login is logged without its token', async () => {
  const server = await start({ tokens });
  await server.request('/api/v1/auth/login', { method: 'POST', body: '{"token":"not-the-token"}' });
  expect(server.said('Login rejected: wrong token')).toHaveLength(1);
  expect(JSON.stringify(server.lines)).not.toContain('not-the-token');
});

describe('host name check', () => {
  const web = {
    publicUrl: 'https://loops.acme.example',
    allowedHosts: ['watch', '.corp.example'],
    trustProxy: ['loopback'],
  };
  const cases: [string, Partial<ServerDeps>, Record<string, string>, number][] = [
    ['rejects the name of another site', {}, { host: 'evil.example' }, 421],
    ['rejects the name of another site even with tokens', { tokens }, { host: 'evil.example' }, 421],
    [
      'rejects the name of another site when listening on all addresses',
      { host: '0.0.0.0' },
      { host: 'evil.example' },
      421,
    ],
    ['accepts localhost', {}, { host: 'localhost:4600' }, 200],
    ['accepts an IPv4 address', {}, { host: '192.0.2.7:4600' }, 200],
    ['accepts an IPv6 address', {}, { host: '[::1]:4600' }, 200],
    ['accepts the public name', web, { host: 'loops.acme.example' }, 200],
    ['accepts an allowed name', web, { host: 'WATCH:4600' }, 200],
    ['accepts a subdomain of an allowed name', web, { host: 'a.corp.example' }, 200],
    ['rejects a name that merely ends the same', web, { host: 'evilcorp.example' }, 421],
    ['accepts any name if all are allowed', { allowedHosts: ['*'] }, { host: 'evil.example' }, 200],
    [
      'accepts the forwarded name of a trusted proxy',
      web,
      { host: 'evil.example', 'x-forwarded-host': 'watch' },
      200,
    ],
    [
      'rejects the forwarded name of an untrusted proxy',
      { allowedHosts: ['watch'] },
      { host: 'evil.example', 'x-forwarded-host': 'watch' },
      421,
    ],
  ];
  it.each(cases)('%s', async (_name, deps, headers, status) => {
    const { url } = await start(deps);
    const { port } = new URL(url);
    const ask = new Promise<[number | undefined, string]>((resolve, reject) => {
      const all =
        deps.tokens === undefined ? headers : { ...headers, authorization: `Bearer ${tokens.viewer}` };
      const options = { port, host: '127.0.0.1', path: '/api/v1/incidents', headers: all };
      httpRequest(options, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        response.on('end', () => resolve([response.statusCode, text]));
      })
        .on('error', reject)
        .end();
    });
    const [answered, text] = await ask;
    expect(answered).toBe(status);
    if (status === 421) expect(text).toContain('server.allowed_hosts');
  });
});

it('auth: a server that is reachable from other machines without a login reports itself as exposed', async () => {
  const exposed = async (deps: Partial<ServerDeps>): Promise<unknown> => {
    const { request } = await start(deps);
    return ((await (await request('/api/v1/auth/me')).json()) as { exposed: unknown }).exposed;
  };
  expect(await exposed({ host: '0.0.0.0' })).toBe(true);
  expect(await exposed({ host: '0.0.0.0', tokens })).toBe(false);
  expect(await exposed({})).toBe(false);
});
