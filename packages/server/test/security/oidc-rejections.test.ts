import { OAuth2Server } from 'oauth2-mock-server';
import { describe, expect, it } from 'vitest';
import { cookieOf, oidcServer } from './oidc-server.ts';

const oidc = oidcServer();
const { get, leave, login, me } = oidc;

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
    oidc.claims = { groups: ['sre'] };
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
    oidc.claims = { groups: ['sre'] };
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
    other.issuer.url = oidc.options.issuer;
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
    oidc.provider.service.once('beforeResponse', (response: { body: Record<string, unknown> }) => {
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
    oidc.claims = { groups: ['sre'] };
    const { back, cookie } = await leave();
    oidc.now += 600_001;
    await refused(await get(back.href, cookie), 401, /has expired/);
  });
});
