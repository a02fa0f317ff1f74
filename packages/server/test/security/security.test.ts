import type { Me } from '@loopwatch/contract/api';
import { io } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import type { LoopwatchServer } from '../../src/index.ts';
import { Access } from '../../src/security/access.ts';
import { localPath } from '../../src/security/login-page.ts';
import type { MemoryLog } from '../memory-log.ts';
import { startServer, topics } from '../running-server.ts';
import { verdict } from '../verdicts.ts';

const tokens = { operator: 'operator-token-of-length', viewer: 'viewer-token-of-length' };
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const emptyDatabase = sharedPglite();
let url: string;
let log: MemoryLog;
let server: LoopwatchServer;

const get = (path: string, init: RequestInit = {}) => fetch(url + path, { redirect: 'manual', ...init });

async function cookieFor(token: string): Promise<string> {
  const response = await get('/api/v1/auth/login', { method: 'POST', body: JSON.stringify({ token }) });
  expect(response.status).toBe(204);
  return response.headers.get('set-cookie') ?? '';
}

describe('with tokens', () => {
  beforeAll(async () => {
    const started = await startServer({ openDatabase: emptyDatabase, tokens });
    ({ url, log, server } = started);
    log.appendVerdict(verdict());
    await started.stored();
  });

  afterAll(() => server.stop());

  it.each(['/healthz', '/readyz', '/login.css'])('%s is public', async (path) => {
    expect((await get(path)).status).toBe(200);
  });

  const guarded = [
    '/metrics',
    '/api/v1/incidents',
    '/api/v1/openapi.json',
    '/api/v1/settings',
    '/theme.js',
    '/assets/a.js',
  ];
  it.each(guarded)('%s requires a token', async (path) => {
    for (const headers of [
      {},
      bearer('wrong'),
      { authorization: `Basic ${tokens.operator}` },
      { authorization: 'Bearer' },
      { cookie: 'loopwatch_session=x.y' },
      { cookie: `loopwatch_session=${tokens.operator}` },
    ]) {
      const response = await get(path, { headers });
      expect(response.status).toBe(401);
      expect(response.headers.get('content-type')).toContain('application/problem+json');
      expect(response.headers.get('www-authenticate')).toContain('Bearer');
    }
    expect((await get(path, { headers: bearer(tokens.viewer) })).status).not.toBe(401);
  });

  it.each([
    [undefined, /^Log in, or send a token: authorization: Bearer /],
    [`Basic ${tokens.operator}`, /^Log in, or send a token: authorization: Bearer /],
    ['Bearer wrong', /^The token in the header authorization is wrong, revoked or expired$/],
  ])('a request with the header authorization %s learns what to send', async (authorization, detail) => {
    const response = await get('/api/v1/stats', {
      headers: authorization === undefined ? {} : { authorization },
    });
    expect(((await response.json()) as { detail: string }).detail).toMatch(detail);
  });

  it('other spellings of a path are protected as well', async () => {
    for (const path of [
      '/METRICS',
      '/metrics/',
      '//metrics',
      '/api/v1/../v1/incidents',
      '/healthz/../metrics',
      '/API/V1/incidents',
    ]) {
      expect([401, 404]).toContain((await get(path)).status);
    }
  });

  const changes: [string, string, string][] = [
    ['PATCH', '/api/v1/incidents/i-1', '{"status":"muted"}'],
    ['PATCH', '/api/v1/incidents', '{"ids":["i-1"],"change":{"status":"muted"}}'],
    ['PUT', '/api/v1/settings/server', '{"set":{}}'],
    ['DELETE', '/api/v1/settings/server', ''],
    ['POST', '/api/v1/events', '{"type":"session_ended","sessionId":"s"}'],
  ];
  it.each(changes)('a viewer may not %s %s, an operator may', async (method, path, text) => {
    const body = text === '' ? null : text;
    expect((await get(path, { method, body })).status).toBe(401);
    expect((await get(path, { method, body, headers: bearer(tokens.viewer) })).status).toBe(403);
    const cookie = await cookieFor(tokens.viewer);
    expect((await get(path, { method, body, headers: { cookie } })).status).toBe(403);
    expect(log.topics.get(topics.control)?.length ?? 0).toBeLessThan(3);
    expect((await get(path, { method, body, headers: bearer(tokens.operator) })).status).toBeLessThan(300);
  });

  it('pages of other sites cannot change anything', async () => {
    const cookie = await cookieFor(tokens.operator);
    const body = '{"status":"acknowledged"}';
    for (const foreign of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      const answer = await get('/api/v1/incidents/i-1', {
        method: 'PATCH',
        body,
        headers: { cookie, ...foreign },
      });
      expect(answer.status).toBe(403);
    }
    const own = await get('/api/v1/incidents/i-1', {
      method: 'PATCH',
      body,
      headers: { cookie, origin: url },
    });
    expect(await own.json()).toMatchObject({ triage: { status: 'acknowledged', by: 'operator' } });
  });

  it('unknown pages require a login as well, and do not reveal that they are unknown', async () => {
    const headers = { accept: 'text/html,*/*;q=0.8' };
    const asked = await get('/nowhere', { headers });
    expect([asked.status, await asked.text()]).toEqual([
      401,
      expect.stringContaining('/login?to=%2Fnowhere'),
    ]);
    expect((await get('/metrics', { headers })).headers.get('content-type')).toContain('problem+json');
  });

  it('pages ask for a token, and return to the requested page', async () => {
    const asked = await get('/incidents/i-1?tab=cost');
    const html = await asked.text();
    expect([asked.status, asked.headers.get('content-type')]).toEqual([401, 'text/html; charset=utf-8']);
    expect(html).toContain('action="/login?to=%2Fincidents%2Fi-1%3Ftab%3Dcost"');
    expect(html).not.toMatch(/<script|<style| style=| on\w+=/);
    const send = (token: string, to: string) =>
      get(`/login?to=${encodeURIComponent(to)}`, { method: 'POST', body: new URLSearchParams({ token }) });
    expect((await send('wrong', '/')).status).toBe(401);
    const done = await send(tokens.viewer, '/incidents/i-1');
    expect([done.status, done.headers.get('location')]).toEqual([303, '/incidents/i-1']);
    const cookie = done.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/HttpOnly; SameSite=Lax/);
    expect((await get('/incidents/i-1', { headers: { cookie } })).status).not.toBe(401);
    expect((await send(tokens.viewer, 'https://evil.example/')).headers.get('location')).toBe('/');
    const me = (headers: Record<string, string>) => get('/api/v1/auth/me', { headers }).then((r) => r.json());
    expect(await me({ cookie })).toMatchObject({
      required: true,
      user: { role: 'viewer' },
      methods: ['token'],
    });
    expect(await me({})).toMatchObject({ required: true, user: null });
  });

  it('people who share a token may set their name, which changes no role', async () => {
    const me = async (token: string, name: string) => {
      const headers = { ...bearer(token), 'loopwatch-user': name };
      const answer = await get('/api/v1/auth/me', { headers });
      return [answer.status, ((await answer.json()) as Partial<Me>).user];
    };
    expect(await me(tokens.operator, encodeURIComponent(' Zoë Łuk '))).toEqual([
      200,
      { name: 'Zoë Łuk', role: 'operator' },
    ]);
    expect(await me(tokens.viewer, 'operator')).toEqual([200, { name: 'operator', role: 'viewer' }]);
    for (const name of ['%20', '%E0', 'x'.repeat(201)]) {
      expect(await me(tokens.operator, name)).toEqual([400, undefined]);
    }
    const headers = { 'loopwatch-user': 'Ada' };
    expect(await (await get('/api/v1/auth/me', { headers })).json()).toMatchObject({ user: null });
    expect((await get('/api/v1/incidents', { headers })).status).toBe(401);
  });

  it('sockets require a token', async () => {
    const connect = (extraHeaders: Record<string, string>) =>
      new Promise<string>((resolve) => {
        const socket = io(`${url}/live`, {
          extraHeaders,
          reconnection: false,
          forceNew: true,
          transports: ['websocket'],
        });
        const end = (what: string) => () => {
          socket.disconnect();
          resolve(what);
        };
        socket.on('snapshot', end('in'));
        socket.on('connect_error', end('out'));
      });
    const cookie = (await cookieFor(tokens.viewer)).split(';')[0] ?? '';
    expect(await connect({})).toBe('out');
    expect(await connect(bearer('wrong'))).toBe('out');
    expect(await connect({ cookie, origin: 'https://evil.example' })).toBe('out');
    expect(await connect({ cookie })).toBe('in');
    expect(await connect(bearer(tokens.viewer))).toBe('in');
  });

  it('body sizes are limited', async () => {
    const body = JSON.stringify({ note: 'x'.repeat(2_000_000) });
    const answer = await get('/api/v1/incidents/i-1', {
      method: 'PATCH',
      body,
      headers: bearer(tokens.operator),
    });
    expect(answer.status).toBe(413);
  });

  it('text from agents is never served as HTML', async () => {
    const answer = await get('/api/v1/incidents', { headers: bearer(tokens.viewer) });
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
  });
});

describe('a login cookie', () => {
  const now = { at: 1_000 };
  const access = new Access(tokens, () => now.at);
  const cookie = access.loginCookie({ name: 'a', role: 'viewer' }, true).split(';')[0] ?? '';

  it('is valid until it expires', () => {
    expect(access.userOf({ cookie })).toMatchObject({ role: 'viewer' });
    now.at += 13 * 3_600_000;
    expect(access.userOf({ cookie })).toBeUndefined();
    now.at = 1_000;
  });

  it('cannot be forged without the tokens', () => {
    const [session = '', signature = ''] = cookie.slice('loopwatch_session='.length).split('.');
    const forged = Buffer.from(JSON.stringify({ name: 'a', role: 'operator', until: 9e15 })).toString(
      'base64url',
    );
    for (const value of [
      `${forged}.${signature}`,
      `${session}.`,
      `.${signature}`,
      `${session}.${signature}x`,
      '',
    ]) {
      expect(access.userOf({ cookie: `loopwatch_session=${value}` })).toBeUndefined();
    }
    expect(new Access({ ...tokens, viewer: 'another' }, () => now.at).userOf({ cookie })).toBeUndefined();
  });

  it.each([
    ['//evil.example'],
    ['/\\evil.example'],
    ['https://evil.example'],
    ['javascript:x'],
    [undefined],
    ['/a b'],
  ])('never leads to %s', (to) => {
    expect(localPath(to)).toBe('/');
  });
});
