import { type Request, Router } from 'express';
import type { Auth } from './auth.ts';
import { readCookie, setCookie } from './cookies.ts';
import { type LoginPage, localPath } from './login-page.ts';
import { type Oidc, type OidcLogin, pendingLoginSchema } from './oidc.ts';
import { publicAddress, storeIdToken } from './oidc-logout.ts';
import { nameOf, userOfClaims } from './oidc-role.ts';

const path = '/login/oidc';
const callback = `${path}/callback`;
const pendingCookie = 'loopwatch_login';
const PENDING_MS = 600_000;

/** `/login/oidc` redirects to the identity provider, which redirects back to `/login/oidc/callback`. */
export function oidcPages({ access, hosts, logger }: Auth, oidc: Oidc, loginPage: LoginPage): Router {
  const router = Router();
  const setPending = (request: Request, value: string, maxAgeMs: number): string =>
    setCookie(pendingCookie, value, { path, maxAgeMs, secure: hosts.isSecure(request) });

  router.get(path, async (request, response) => {
    const to = localPath(request.query['to']);
    try {
      const { url, pending } = await oidc.begin(publicAddress(request, oidc, hosts) + callback, to);
      const signed = access.signer.sign('login', pending, PENDING_MS);
      response.set('cache-control', 'no-store').set('set-cookie', setPending(request, signed, PENDING_MS));
      response.redirect(303, url.href);
    } catch (err) {
      const { issuer, name } = oidc.options;
      logger.error({ err, issuer }, 'Identity provider unavailable');
      const alert = `Could not reach ${name}. Try again shortly; see the server log for details.`;
      loginPage.send(response, { to, alert, status: 502 });
    }
  });

  router.get(callback, async (request, response) => {
    const signed = readCookie(request.headers.cookie, pendingCookie);
    const pending =
      signed === undefined ? undefined : access.signer.verify('login', signed, pendingLoginSchema);
    // Valid once, whatever the outcome.
    response.append('set-cookie', setPending(request, '', 0));
    if (pending === undefined) {
      const alert = 'This login has expired, or was started in another browser. Try again.';
      loginPage.send(response, { to: '/', alert });
      return;
    }
    const { to } = pending;
    let login: OidcLogin;
    try {
      login = await oidc.finish(new URL(request.originalUrl, publicAddress(request, oidc, hosts)), pending);
    } catch (err) {
      logger.warn({ err }, 'Login at the identity provider failed');
      loginPage.send(response, { to, alert: 'Login failed. Try again; see the server log for the reason.' });
      return;
    }
    const { claims, idToken } = login;
    const user = userOfClaims(claims, oidc.options);
    if (user === undefined) {
      logger.warn({ user: nameOf(claims) }, 'Login rejected: the user has no role');
      const alert = 'Your account has no role in Loopwatch. Ask your administrator for access.';
      loginPage.send(response, { to, alert, status: 403 });
      return;
    }
    logger.info(
      { user: user.name, role: user.role, by: 'oidc', address: hosts.addressOf(request) },
      'Logged in',
    );
    response
      .append('set-cookie', access.loginCookie(user, hosts.isSecure(request)))
      .append('set-cookie', storeIdToken(idToken, hosts.isSecure(request)))
      .redirect(303, to);
  });
  return router;
}
