import { createHash } from 'node:crypto';
import { io } from 'socket.io-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { verdict } from '../verdicts.ts';
import { oidcServer, viewerToken } from './oidc-server.ts';

const oidc = oidcServer();
const { get, leave, login, logOut, me, stored } = oidc;
const acknowledge = (cookie: string) =>
  get('/api/v1/incidents/i-1', cookie, { method: 'PATCH', body: JSON.stringify({ status: 'acknowledged' }) });

describe('a login at the identity provider', () => {
  // Here and not once for the file: the servers of other tests empty the database.
  beforeAll(async () => {
    oidc.log.appendVerdict(verdict());
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
    const answer = await fetch(new URL('/api/v1/auth/me', oidc.url), { headers });
    expect(await answer.json()).toMatchObject({ shared: false, user: { name: 'viewer' } });
  });

  it('uses the code flow with PKCE, state and nonce', async () => {
    const { authorize, left } = await leave();
    const parameter = (name: string) => authorize.searchParams.get(name);
    expect(authorize.origin).toBe(new URL(oidc.options.issuer).origin);
    expect(Object.fromEntries(authorize.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: 'loopwatch',
      scope: 'openid groups',
      code_challenge_method: 'S256',
      redirect_uri: `${oidc.url}/login/oidc/callback`,
    });
    expect(parameter('state')?.length).toBeGreaterThan(20);
    expect(parameter('nonce')?.length).toBeGreaterThan(20);
    const cookie = left.headers.getSetCookie()[0];
    expect(cookie).toMatch(/^loopwatch_login=.*; Path=\/login\/oidc; HttpOnly; SameSite=Lax; Max-Age=600$/);
    expect(left.headers.get('cache-control')).toBe('no-store');

    const { back, cookie: own, authorize: again } = await leave();
    oidc.asked.length = 0;
    expect((await get(back.href, own)).status).toBe(403);
    const verifier = String(oidc.asked[0]?.['code_verifier']);
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
    const socket = io(`${oidc.url}/live`, {
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
    oidc.now += 12 * 3_600_000 + 1;
    expect(await me(cookie)).toMatchObject({ user: null });
  });

  it('never redirects to another site', async () => {
    for (const to of ['https://evil.example/', '//evil.example', '/\\evil.example']) {
      const { done } = await login({ groups: ['sre'] }, to);
      expect(done.headers.get('location')).toBe('/');
    }
  });
});
