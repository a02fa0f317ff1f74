import { expect, it } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import { startServer } from '../running-server.ts';
import { oidcServer, viewerToken } from './oidc-server.ts';

const emptyDatabase = sharedPglite();
const oidc = oidcServer();

it('oidc: an unavailable provider is reported, and tokens still work', async () => {
  const other = await startServer({
    openDatabase: emptyDatabase,
    oidc: { ...oidc.options, issuer: 'http://127.0.0.1:1' },
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
    oidc: { ...oidc.options, publicUrl: 'https://loops.acme.example/' },
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
