import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type MutableToken, OAuth2Server } from 'oauth2-mock-server';
import { io } from 'socket.io-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import type { LoopwatchServer, OidcOptions } from '../../src/index.ts';
import { Access } from '../../src/security/access.ts';
import { userOfClaims } from '../../src/security/oidc-role.ts';
import type { MemoryLog } from '../memory-log.ts';
import { startServer } from '../running-server.ts';
import { START, verdict } from '../verdicts.ts';

const provider = new OAuth2Server();
const emptyDatabase = sharedPglite();
const viewerToken = 'viewer-token-of-length';
let options: OidcOptions;
let url: string;
let log: MemoryLog;
let server: LoopwatchServer;
let stored: () => Promise<void>;
let now = Date.now();
/** What the provider says in the next ID tokens. */
let claims: Record<string, unknown> = {};
const asked: Record<string, unknown>[] = [];

beforeAll(async () => {
  await provider.issuer.keys.generate('RS256');
  await provider.start(0, 'localhost');
  provider.service.on(
    'beforeTokenSigning',
    ({ payload }: MutableToken, request: { body: Record<string, unknown> }) => {
      asked.push(request.body);
      Object.assign(payload, claims);
    },
  );
  options = {
    issuer: provider.issuer.url ?? '',
    clientId: 'loopwatch',
    clientSecret: 'shh',
    name: 'Acme <ID>',
    scope: 'openid groups',
    roleClaim: 'groups',
    operators: ['sre'],
    viewers: ['staff'],
    defaultRole: 'none',
  };
  const tokens = { viewer: viewerToken };
  const started = await startServer({ openDatabase: emptyDatabase, oidc: options, tokens, now: () => now });
  ({ url, log, server, stored } = started);
});

afterAll(async () => {
  await server.stop();
  await provider.stop();
});

afterEach(() => {
  claims = {};
  now = Date.now();
  provider.service.removeAllListeners('beforeResponse');
});

const get = (path: string, cookie = '', init: RequestInit = {}) =>
  fetch(new URL(path, url), { redirect: 'manual', ...init, headers: { cookie } });

/** The named cookie of an answer, as a browser sends it back. */
function cookieOf(response: Response, name: string): string {
  const line = response.headers.getSetCookie().find((one) => one.startsWith(`${name}=`)) ?? '';
  return line.replace(/;.*/, '');
}

/** Up to where the provider has sent the browser back. */
async function leave(to = '/') {
  const left = await get(`/login/oidc?to=${encodeURIComponent(to)}`);
  expect(left.status).toBe(303);
  const authorize = new URL(left.headers.get('location') ?? '');
  const back = await fetch(authorize, { redirect: 'manual' });
  return {
    authorize,
    back: new URL(back.headers.get('location') ?? ''),
    cookie: cookieOf(left, 'loopwatch_login'),
    left,
  };
}

async function login(said: Record<string, unknown>, to = '/') {
  claims = said;
  const { back, cookie } = await leave(to);
  const done = await get(back.href, cookie);
  return {
    done,
    cookie: cookieOf(done, 'loopwatch_session'),
    idToken: cookieOf(done, 'loopwatch_id_token'),
  };
}

/** As a browser that has these cookies. */
const logOut = (...cookies: string[]) => get('/api/v1/auth/logout', cookies.join('; '), { method: 'POST' });

const me = async (cookie: string) => (await get('/api/v1/auth/me', cookie)).json();
const acknowledge = (cookie: string) =>
  get('/api/v1/incidents/i-1', cookie, { method: 'PATCH', body: JSON.stringify({ status: 'acknowledged' }) });

describe('a login at the identity provider', () => {
  // Here and not once for the file: the servers of other tests empty the database.
  beforeAll(async () => {
    log.appendVerdict(verdict());
    await stored();
  });

  it('is offered along with the token, without script', async () => {
    const asked = await get('/incidents?q=a');
    const html = await asked.text();
    expect(asked.status).toBe(401);
    expect(html).toContain(
      '<a class="button" href="/login/oidc?to=%2Fincidents%3Fq%3Da">Log in with Acme &lt;ID&gt;</a>',
    );
    expect(html).toContain('name="token"');
    expect(html).not.toMatch(/<script|<style| style=| on\w+=/);
    expect(await me('')).toMatchObject({ required: true, user: null, methods: ['oidc', 'token'] });
  });

  it('identifies people: a name sent by the client is ignored', async () => {
    const headers = { 'loopwatch-user': 'Ada', authorization: `Bearer ${viewerToken}` };
    const answer = await fetch(new URL('/api/v1/auth/me', url), { headers });
    expect(await answer.json()).toMatchObject({ shared: false, user: { name: 'viewer' } });
  });

  it('uses the code flow with PKCE, state and nonce', async () => {
    const { authorize, left } = await leave();
    const parameter = (name: string) => authorize.searchParams.get(name);
    expect(authorize.origin).toBe(new URL(options.issuer).origin);
    expect(Object.fromEntries(authorize.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: 'loopwatch',
      scope: 'openid groups',
      code_challenge_method: 'S256',
      redirect_uri: `${url}/login/oidc/callback`,
    });
    expect(parameter('state')?.length).toBeGreaterThan(20);
    expect(parameter('nonce')?.length).toBeGreaterThan(20);
    const cookie = left.headers.getSetCookie()[0];
    expect(cookie).toMatch(/^loopwatch_login=.*; Path=\/login\/oidc; HttpOnly; SameSite=Lax; Max-Age=600$/);
    expect(left.headers.get('cache-control')).toBe('no-store');

    const { back, cookie: own, authorize: again } = await leave();
    asked.length = 0;
    expect((await get(back.href, own)).status).toBe(403);
    const verifier = String(asked[0]?.['code_verifier']);
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    expect(challenge).toBe(again.searchParams.get('code_challenge'));
  });

  it('creates a login with name and role, and returns to the requested page', async () => {
    const { done, cookie } = await login(
      { preferred_username: 'ada', groups: ['x', 'sre'] },
      '/incidents/i-1?tab=cost',
    );
    expect([done.status, done.headers.get('location')]).toEqual([303, '/incidents/i-1?tab=cost']);
    expect(done.headers.getSetCookie().join('\n')).toMatch(
      /loopwatch_session=.*Path=\/; HttpOnly; SameSite=Lax; Max-Age=43200/,
    );
    expect(await me(cookie)).toMatchObject({ user: { name: 'ada', role: 'operator' } });
    const patched = (await (await acknowledge(cookie)).json()) as object;
    expect(patched).toMatchObject({ triage: { status: 'acknowledged', by: 'ada' } });
    expect((await get('/incidents', cookie)).status).not.toBe(401);
  });

  it('can create a viewer: read-only, with live updates', async () => {
    const { cookie } = await login({ email: 'bob@acme.example', groups: 'staff' });
    expect(await me(cookie)).toMatchObject({ user: { name: 'bob@acme.example', role: 'viewer' } });
    expect((await acknowledge(cookie)).status).toBe(403);
    const socket = io(`${url}/live`, {
      transports: ['websocket'],
      extraHeaders: { cookie },
      reconnection: false,
    });
    const greeted = await new Promise((resolve) => {
      socket.once('snapshot', () => resolve(true));
      socket.once('connect_error', resolve);
    });
    socket.disconnect();
    expect(greeted).toBe(true);
  });

  it('ends with a logout, or after twelve hours', async () => {
    const { cookie } = await login({ groups: ['sre'] });
    const out = await logOut(cookie);
    expect([out.status, out.headers.get('set-cookie')]).toEqual([
      204,
      expect.stringMatching(/^loopwatch_session=;.*Max-Age=0.*loopwatch_id_token=;.*Max-Age=0/),
    ]);
    now += 12 * 3_600_000 + 1;
    expect(await me(cookie)).toMatchObject({ user: null });
  });

  it('never redirects to another site', async () => {
    for (const to of ['https://evil.example/', '//evil.example', '/\\evil.example']) {
      const { done } = await login({ groups: ['sre'] }, to);
      expect(done.headers.get('location')).toBe('/');
    }
  });
});

describe('a logout at the provider', () => {
  const redirectUrlOf = async (answer: Response) =>
    new URL(((await answer.json()) as { redirectUrl: string }).redirectUrl);

  it('is requested with the ID token, and leads back', async () => {
    const { done, cookie, idToken } = await login({ groups: ['sre'] });
    expect(done.headers.getSetCookie().join('\n')).toMatch(
      /loopwatch_id_token=\S+; Path=\/api\/v1\/auth\/logout; HttpOnly; SameSite=Lax; Max-Age=43200/,
    );
    const out = await logOut(cookie, idToken);
    expect(out.headers.getSetCookie().map((line) => line.replace(/;.*/, ''))).toEqual([
      'loopwatch_session=',
      'loopwatch_id_token=',
    ]);
    const redirectUrl = await redirectUrlOf(out);
    expect(redirectUrl.origin + redirectUrl.pathname).toBe(`${new URL(options.issuer).origin}/endsession`);
    expect(Object.fromEntries(redirectUrl.searchParams)).toEqual({
      id_token_hint: idToken.replace('loopwatch_id_token=', ''),
      post_logout_redirect_uri: `${url}/`,
      client_id: 'loopwatch',
    });
    const back = await fetch(redirectUrl, { redirect: 'manual' });
    expect(back.headers.get('location')).toBe(`${url}/`);
  });

  it('omits an ID token that is too long for a cookie', async () => {
    const { cookie, idToken } = await login({ groups: ['sre', ...Array<string>(400).fill('another-group')] });
    expect(idToken).toBe('loopwatch_id_token=-');
    const redirectUrl = await redirectUrlOf(await logOut(cookie, idToken));
    expect([...redirectUrl.searchParams.keys()].toSorted()).toEqual([
      'client_id',
      'post_logout_redirect_uri',
    ]);
  });

  it('is skipped for token logins, and without an end-session endpoint', async () => {
    const by = await get('/api/v1/auth/login', '', {
      method: 'POST',
      body: JSON.stringify({ token: viewerToken }),
    });
    expect((await logOut(cookieOf(by, 'loopwatch_session'))).status).toBe(204);

    const metadata = createServer((_request, response) => {
      const at = (path: string) => `${issuer}/${path}`;
      response.setHeader('content-type', 'application/json').end(
        JSON.stringify({
          issuer,
          authorization_endpoint: at('a'),
          token_endpoint: at('t'),
          jwks_uri: at('k'),
        }),
      );
    });
    await once(metadata.listen(0, '127.0.0.1'), 'listening');
    const issuer = `http://127.0.0.1:${String((metadata.address() as AddressInfo).port)}`;
    expect(await logOutAt(issuer)).toBe(204);
    expect(await logOutAt(options.issuer), 'this one has').toBe(200);
    metadata.close();
  });

  it('never prevents the logout from Loopwatch', async () => {
    expect(await logOutAt('http://127.0.0.1:1')).toBe(204);
  });

  /** The status of a logout from another server, of who came there by this provider. */
  async function logOutAt(issuer: string): Promise<number> {
    const other = await startServer({ openDatabase: emptyDatabase, oidc: { ...options, issuer } });
    const headers = { cookie: 'loopwatch_id_token=a.b.c' };
    const out = await fetch(`${other.url}/api/v1/auth/logout`, { method: 'POST', headers });
    expect(out.headers.get('set-cookie')).toMatch(/^loopwatch_session=;.*Max-Age=0/);
    await other.server.stop();
    return out.status;
  }
});

describe('login is rejected for', () => {
  const refused = async (response: Response, status: number, text: RegExp) => {
    expect([response.status, await response.text()]).toEqual([status, expect.stringMatching(text)]);
    expect(cookieOf(response, 'loopwatch_session')).toBe('');
  };

  it('a user without a role', async () => {
    await refused(
      (await login({ preferred_username: '<b>eve</b>', groups: ['guests'] })).done,
      403,
      /no role/,
    );
    await refused((await login({})).done, 403, /no role/);
  });

  it('a wrong state, another browser, or a login that was not started', async () => {
    claims = { groups: ['sre'] };
    const [one, two] = [await leave(), await leave()];
    await refused(await get(one.back.href, two.cookie), 401, /Login failed/);
    await refused(await get(one.back.href), 401, /another browser/);
    await refused(await get(one.back.href, 'loopwatch_login=x.y'), 401, /another browser/);
    const without = new URL(two.back);
    without.searchParams.delete('state');
    await refused(await get(without.href, two.cookie), 401, /Login failed/);
  });

  it('a session cookie in place of a pending login, and vice versa', async () => {
    const { cookie } = await login({ groups: ['sre'] });
    const { back, cookie: begun } = await leave();
    await refused(
      await get(back.href, cookie.replace('loopwatch_session', 'loopwatch_login')),
      401,
      /another browser/,
    );
    expect(await me(begun.replace('loopwatch_login', 'loopwatch_session'))).toMatchObject({ user: null });
  });

  it('a code that was used before', async () => {
    claims = { groups: ['sre'] };
    const { back, cookie } = await leave();
    expect((await get(back.href, cookie)).status).toBe(303);
    await refused(await get(back.href, cookie), 401, /Login failed/);
  });

  it.each([
    ['nonce', { nonce: 'another' }],
    ['audience', { aud: 'another-client' }],
    ['issuer', { iss: 'https://evil.example' }],
    ['expiry', { exp: 1_000_000_000 }],
  ])('an ID token with another %s', async (_what, wrong) => {
    await refused((await login({ groups: ['sre'], ...wrong })).done, 401, /Login failed/);
  });

  it('an ID token with a foreign signature', async () => {
    const other = new OAuth2Server();
    await other.issuer.keys.generate('RS256');
    other.issuer.url = options.issuer;
    const { back, cookie, authorize } = await leave();
    const forged = await other.issuer.buildToken({
      scopesOrTransform: (_header, payload) => {
        Object.assign(payload, {
          aud: 'loopwatch',
          sub: 'eve',
          groups: ['sre'],
          nonce: authorize.searchParams.get('nonce'),
        });
      },
    });
    provider.service.once('beforeResponse', (response: { body: Record<string, unknown> }) => {
      response.body['id_token'] = forged;
    });
    await refused(await get(back.href, cookie), 401, /Login failed/);
  });

  it('an error of the provider', async () => {
    const { back, cookie } = await leave();
    const denied = new URL(back);
    denied.searchParams.delete('code');
    denied.searchParams.set('error', 'access_denied');
    denied.searchParams.set('error_description', '<script>alert(1)</script>');
    const answer = await get(denied.href, cookie);
    expect(await answer.clone().text()).not.toContain('<script>');
    await refused(answer, 401, /Login failed/);
  });

  it('a pending login after ten minutes', async () => {
    claims = { groups: ['sre'] };
    const { back, cookie } = await leave();
    now += 600_001;
    await refused(await get(back.href, cookie), 401, /has expired/);
  });
});

it('oidc: an unavailable provider is reported, and tokens still work', async () => {
  const other = await startServer({
    openDatabase: emptyDatabase,
    oidc: { ...options, issuer: 'http://127.0.0.1:1' },
    tokens: { viewer: viewerToken },
  });
  const answer = await fetch(`${other.url}/login/oidc`, { redirect: 'manual' });
  expect([answer.status, await answer.text()]).toEqual([
    502,
    expect.stringContaining('Could not reach Acme &lt;ID&gt;'),
  ]);
  const headers = { authorization: `Bearer ${viewerToken}` };
  expect((await fetch(`${other.url}/api/v1/incidents`, { headers })).status).toBe(200);
  await other.server.stop();
});

it('oidc: behind a proxy, the redirect URI is the public URL', async () => {
  const other = await startServer({
    openDatabase: emptyDatabase,
    oidc: { ...options, publicUrl: 'https://loops.acme.example/' },
  });
  const answer = await fetch(`${other.url}/login/oidc`, {
    redirect: 'manual',
    headers: { 'x-forwarded-proto': 'https' },
  });
  const to = new URL(answer.headers.get('location') ?? '');
  expect(to.searchParams.get('redirect_uri')).toBe('https://loops.acme.example/login/oidc/callback');
  expect(answer.headers.get('set-cookie')).toContain('; Secure');
  await other.server.stop();
});

it('oidc: without a provider its paths do not exist', async () => {
  const other = await startServer({ openDatabase: emptyDatabase, tokens: { viewer: viewerToken } });
  for (const path of ['/login/oidc', '/login/oidc/callback?code=a&state=b']) {
    expect((await fetch(other.url + path, { redirect: 'manual' })).status).toBe(401);
  }
  await other.server.stop();
});

it('logins: servers with the same key and secrets accept each other’s cookies, others do not', () => {
  const session = (secret: string, key = 'k') => {
    const access = new Access({}, () => START, secret);
    access.useKey(Buffer.alloc(32, key));
    return access;
  };
  const cookie = session('shh').loginCookie({ name: 'ada', role: 'operator' }, false).replace(/;.*/, '');
  expect(session('shh').userOf({ cookie })).toEqual({ name: 'ada', role: 'operator' });
  expect(session('other').userOf({ cookie })).toBeUndefined();
  expect(session('shh', 'another key').userOf({ cookie })).toBeUndefined();
  expect(new Access({}, () => START, 'shh').userOf({ cookie })).toBeUndefined();
});

describe('claims', () => {
  const rules = { roleClaim: 'groups', operators: ['sre'], viewers: ['staff'], defaultRole: 'none' } as const;
  it.each([
    [{ groups: ['staff', 'sre'] }, {}, 'operator'],
    [{ groups: 'staff other' }, {}, 'viewer'],
    [{ groups: 'srex' }, {}, undefined],
    [{ groups: { sre: true } }, {}, undefined],
    [{ groups: [['sre']] }, {}, undefined],
    [{}, { defaultRole: 'viewer' as const }, 'viewer'],
    [{ realm_access: { roles: ['sre'] } }, { roleClaim: 'realm_access.roles' }, 'operator'],
    [{ 'https://acme.example/roles': ['sre'] }, { roleClaim: 'https://acme.example/roles' }, 'operator'],
    [{}, { roleClaim: '__proto__.toString' }, undefined],
  ])('%j with %j: %s', (said, more, role) => {
    expect(userOfClaims(said, { ...rules, ...more })?.role).toBe(role);
  });

  it.each([
    [{ preferred_username: ' ada ', email: 'a@b' }, 'ada'],
    [{ preferred_username: '', email: 'a@b', sub: '1' }, 'a@b'],
    [{ sub: '00u1' }, '00u1'],
    [{ name: 'x'.repeat(500) }, 'x'.repeat(100)],
  ])('%j are called %s', (said, name) => {
    expect(userOfClaims({ ...said, groups: ['sre'] }, rules)?.name).toBe(name);
  });
});
