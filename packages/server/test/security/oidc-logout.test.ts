import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import { startServer } from '../running-server.ts';
import { cookieOf, oidcServer, viewerToken } from './oidc-server.ts';

const emptyDatabase = sharedPglite();
const oidc = oidcServer();
const { get, login, logOut } = oidc;

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
    expect(redirectUrl.origin + redirectUrl.pathname).toBe(
      `${new URL(oidc.options.issuer).origin}/endsession`,
    );
    expect(Object.fromEntries(redirectUrl.searchParams)).toEqual({
      id_token_hint: idToken.replace('loopwatch_id_token=', ''),
      post_logout_redirect_uri: `${oidc.url}/`,
      client_id: 'loopwatch',
    });
    const back = await fetch(redirectUrl, { redirect: 'manual' });
    expect(back.headers.get('location')).toBe(`${oidc.url}/`);
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
    expect(await logOutAt(oidc.options.issuer), 'this one has').toBe(200);
    metadata.close();
  });

  it('never prevents the logout from Loopwatch', async () => {
    expect(await logOutAt('http://127.0.0.1:1')).toBe(204);
  });

  /** The status of a logout from another server, of who came there by this provider. */
  async function logOutAt(issuer: string): Promise<number> {
    const other = await startServer({ openDatabase: emptyDatabase, oidc: { ...oidc.options, issuer } });
    const headers = { cookie: 'loopwatch_id_token=a.b.c' };
    const out = await fetch(`${other.url}/api/v1/auth/logout`, { method: 'POST', headers });
    expect(out.headers.get('set-cookie')).toMatch(/^loopwatch_session=;.*Max-Age=0/);
    await other.server.stop();
    return out.status;
  }
});
