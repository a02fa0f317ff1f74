import { type Request, type Response, Router } from 'express';
import type { Auth } from './auth.ts';
import { cookieIn, setCookie } from './cookies.ts';
import { localPath, sendLoginPage } from './login-page.ts';
import { type Oidc, pendingSchema } from './oidc.ts';
import { addressOf, idTokenCookieHeader } from './oidc-logout.ts';
import { nameOf, userOfClaims } from './oidc-role.ts';

const path = '/login/oidc';
const callback = `${path}/callback`;
const pendingCookie = 'loopwatch_login';
const pendingMs = 600_000;

/** `/login/oidc` leads to the provider, and `/login/oidc/callback` back. */
export function oidcPages({ access, hosts, logger }: Auth, oidc: Oidc): Router {
  const router = Router();
  const page = (response: Response, to: string, alert: string, status: number): void => {
    sendLoginPage(response, { to, alert, status, methods: access.methods, provider: oidc.options.name });
  };
  const remember = (request: Request, value: string, maxAgeMs: number): string =>
    setCookie(pendingCookie, value, { path, maxAgeMs, secure: hosts.isSecure(request) });

  router.get(path, async (request, response) => {
    const to = localPath(request.query['to']);
    try {
      const { url, pending } = await oidc.begin(addressOf(request, oidc, hosts) + callback, to);
      const sealed = access.seals.seal('login', pending, pendingMs);
      response.set('cache-control', 'no-store').set('set-cookie', remember(request, sealed, pendingMs));
      response.redirect(303, url.href);
    } catch (err) {
      logger.error({ err, issuer: oidc.options.issuer }, 'the provider of logins cannot be asked');
      page(
        response,
        to,
        `${oidc.options.name} does not answer. Try again shortly; the server's log says more.`,
        502,
      );
    }
  });

  router.get(callback, async (request, response) => {
    const sealed = cookieIn(request.headers.cookie, pendingCookie);
    const pending = sealed === undefined ? undefined : access.seals.open('login', sealed, pendingSchema);
    // Once, whatever comes of it.
    response.append('set-cookie', remember(request, '', 0));
    if (pending === undefined) {
      page(response, '/', 'This login took too long, or was begun in another browser. Begin again.', 401);
      return;
    }
    const { to } = pending;
    let loggedIn: Awaited<ReturnType<Oidc['finish']>>;
    try {
      loggedIn = await oidc.finish(new URL(request.originalUrl, addressOf(request, oidc, hosts)), pending);
    } catch (err) {
      logger.warn({ err }, 'a login by the provider failed');
      page(response, to, "This login did not succeed. Begin again; the server's log says why.", 401);
      return;
    }
    const { claims, idToken } = loggedIn;
    const user = userOfClaims(claims, oidc.options);
    if (user === undefined) {
      logger.warn({ user: nameOf(claims) }, 'login rejected: the user has no role');
      page(response, to, 'You are logged in, but have no role here. Ask your administrator.', 403);
      return;
    }
    logger.info(
      { user: user.name, role: user.role, by: 'oidc', address: hosts.addressOf(request) },
      'logged in',
    );
    response
      .append('set-cookie', access.login(user, hosts.isSecure(request)))
      .append('set-cookie', idTokenCookieHeader(idToken, hosts.isSecure(request)))
      .redirect(303, to);
  });
  return router;
}
