import { type Logout, loginSchema, type Me } from '@loopwatch/contract/api';
import express, { type Request, type RequestHandler, Router } from 'express';
import { isNavigation } from '../http/navigation.ts';
import { jsonBody, parseBody } from '../http/parse-body.ts';
import { HttpProblem, methodNotAllowed } from '../http/problem.ts';
import { LOGIN_MS } from './access.ts';
import type { Auth } from './auth.ts';
import { LoginPage, localPath } from './login-page.ts';
import { clearIdToken, logOutAtProvider } from './oidc-logout.ts';
import { oidcPages } from './oidc-pages.ts';
import { type User, userOf } from './user.ts';

/** `/auth/me`, `/auth/login` and `/auth/logout`. */
export function authApi(auth: Auth, now: () => number): Router {
  const { access, hosts, revoked, logger } = auth;
  const router = Router();
  router
    .route('/auth/me')
    .get((request, response) => {
      const user = userOf(request);
      const me: Me = {
        required: access.isRequired,
        user: user === undefined ? null : { name: user.name, role: user.role },
        shared: auth.isShared(user),
        exposed: auth.isExposed,
        methods: access.methods,
      };
      response.json(me);
    })
    .all(methodNotAllowed('GET'));
  router
    .route('/auth/login')
    .post(jsonBody(), async (request, response) => {
      const user = await logIn(auth, request, parseBody(request, loginSchema).token);
      if (user === undefined) throw new HttpProblem(401, 'Unknown token');
      response
        .set('set-cookie', access.loginCookie(user, hosts.isSecure(request)))
        .status(204)
        .end();
    })
    .all(methodNotAllowed('POST'));
  router
    .route('/auth/logout')
    .post(async (request, response) => {
      const login = access.loginOf(request.headers.cookie);
      const secure = hosts.isSecure(request);
      // Set before anything can fail, so that the browser forgets the login in any case.
      response.append('set-cookie', access.clearedCookie(secure)).append('set-cookie', clearIdToken(secure));
      if (login !== undefined) {
        await revoked.revoke(login.id, now() + LOGIN_MS);
        logger.info({ user: login.name, role: login.role, address: hosts.addressOf(request) }, 'Logged out');
      }
      const redirectUrl = await logOutAtProvider(request, auth);
      if (redirectUrl === null) response.status(204).end();
      else response.json({ redirectUrl } satisfies Logout);
    })
    .all(methodNotAllowed('POST'));
  return router;
}

/** The user of a token; undefined for a wrong one. @throws HttpProblem 429 after too many wrong ones */
async function logIn(
  { verifier, hosts, logger }: Auth,
  request: Request,
  token: string,
): Promise<User | undefined> {
  const address = hosts.addressOf(request);
  const user = await verifier.verify(token, address);
  if (user?.role === 'producer')
    throw new HttpProblem(403, 'This token is for producers of events, not for the dashboard');
  if (user === undefined) logger.warn({ address }, 'Login rejected: wrong token');
  else logger.info({ user: user.name, role: user.role, by: 'token', address }, 'Logged in');
  return user;
}

/**
 * `/login`, and the login page in place of every page for clients that are not logged in.
 *
 * @param dashboardDir holds the template and the style of the login page
 */
export function loginPages(auth: Auth, dashboardDir: string, pages: readonly string[]): Router {
  const { access, hosts, oidc } = auth;
  const router = Router();
  const loginPage = new LoginPage(dashboardDir, auth);
  if (oidc !== undefined) router.use(oidcPages(auth, oidc, loginPage));
  router.get('/login.css', (_request, response) => {
    response.sendFile('login.css', { root: dashboardDir });
  });
  router.post('/login', express.urlencoded({ extended: false, limit: '10kb' }), async (request, response) => {
    const { token } = (request.body ?? {}) as { token?: unknown };
    const to = localPath(request.query['to']);
    try {
      const user = await logIn(auth, request, typeof token === 'string' ? token.trim() : '');
      if (user === undefined) {
        const alert = 'Unknown token. Check it and try again.';
        loginPage.send(response, { to, alert, isTokenInvalid: true });
      } else {
        response.set('set-cookie', access.loginCookie(user, hosts.isSecure(request))).redirect(303, to);
      }
    } catch (error) {
      if (!(error instanceof HttpProblem)) throw error;
      response.set(error.headers);
      loginPage.send(response, {
        to,
        alert: `${error.message}.`,
        isTokenInvalid: true,
        status: error.status,
      });
    }
  });
  const requireLogin: RequestHandler = (request, response, next) => {
    const user = userOf(request);
    if (user === undefined || user.role === 'producer')
      loginPage.send(response, { to: localPath(request.originalUrl) });
    else next();
  };
  router.get([...pages], requireLogin);
  router.use((request, response, next) => {
    if (isNavigation(request)) void requireLogin(request, response, next);
    else next();
  });
  return router;
}
