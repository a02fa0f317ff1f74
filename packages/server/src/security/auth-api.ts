import { type Logout, loginSchema, type Me } from '@loopwatch/contract/api';
import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import { isNavigation } from '../http/navigation.ts';
import { jsonBody, parseBody } from '../http/parse-body.ts';
import { HttpProblem, methodNotAllowed } from '../http/problem.ts';
import { sessionMs } from './access.ts';
import type { Auth } from './auth.ts';
import { localPath, sendLoginPage } from './login-page.ts';
import { loginStyle } from './login-style.ts';
import { clearIdTokenCookieHeader, logOutAtProvider } from './oidc-logout.ts';
import { oidcPages } from './oidc-pages.ts';
import { type User, userOf } from './user.ts';

/** `/auth/me`, `/auth/login` and `/auth/logout`. @param exposed whether anyone else may do everything, too */
export function authApi(doors: Auth, exposed: boolean, now: () => number): Router {
  const { access, hosts, ended, oidc, logger } = doors;
  const router = Router();
  router
    .route('/auth/me')
    .get((request, response) => {
      const me: Me = {
        required: access.required,
        user: userOf(request) ?? null,
        shared: access.shared,
        exposed,
        methods: access.methods,
      };
      response.json(me);
    })
    .all(methodNotAllowed('GET'));
  router
    .route('/auth/login')
    .post(jsonBody(), async (request, response) => {
      const user = await logIn(doors, request, parseBody(request, loginSchema).token);
      if (user === undefined) throw new HttpProblem(401, 'This token is not known');
      response
        .set('set-cookie', access.login(user, hosts.isSecure(request)))
        .status(204)
        .end();
    })
    .all(methodNotAllowed('POST'));
  router
    .route('/auth/logout')
    .post(async (request, response) => {
      const session = access.session(request.headers.cookie);
      const secure = hosts.isSecure(request);
      // Set before anything can fail: the browser forgets the login in any case.
      response
        .append('set-cookie', access.logout(secure))
        .append('set-cookie', clearIdTokenCookieHeader(secure));
      if (session !== undefined) {
        await ended.end(session.id, now() + sessionMs);
        logger.info(
          { user: session.name, role: session.role, address: hosts.addressOf(request) },
          'logged out',
        );
      }
      const goOn = await logOutAtProvider(request, oidc, hosts, logger);
      if (goOn === null) response.status(204).end();
      else response.json({ goOn } satisfies Logout);
    })
    .all(methodNotAllowed('POST'));
  return router;
}

/** Whom a token logs in; undefined for one that is wrong. @throws HttpProblem 429 when too many were */
async function logIn(
  { checks, hosts, logger }: Auth,
  request: Request,
  token: string,
): Promise<User | undefined> {
  const address = hosts.addressOf(request);
  const user = await checks.check(token, address);
  if (user === undefined) logger.warn({ address }, 'a login was refused: its token is wrong');
  else logger.info({ user: user.name, role: user.role, by: 'token', address }, 'logged in');
  return user;
}

/** `/login`: what stands in the place of pages for who is not logged in. */
export function loginPages(doors: Auth, pages: readonly string[]): Router {
  const { access, hosts, oidc } = doors;
  const router = Router();
  const sendPage = (response: Response, to: string, alert?: string, status?: number): void => {
    const failed = alert === undefined ? {} : { alert, wrongToken: true };
    sendLoginPage(response, {
      to,
      methods: access.methods,
      provider: oidc?.options.name,
      ...failed,
      ...(status !== undefined && { status }),
    });
  };
  if (oidc !== undefined) router.use(oidcPages(doors, oidc));
  const form = express.urlencoded({ extended: false, limit: '10kb' });
  router.get('/login.css', (_request, response) => {
    response.type('css').send(loginStyle);
  });
  router.post('/login', form, async (request, response) => {
    const { token } = (request.body ?? {}) as { token?: unknown };
    const to = localPath(request.query['to']);
    try {
      const user = await logIn(doors, request, typeof token === 'string' ? token.trim() : '');
      if (user === undefined) sendPage(response, to, 'This token is not known. Check it and try again.');
      else response.set('set-cookie', access.login(user, hosts.isSecure(request))).redirect(303, to);
    } catch (error) {
      if (!(error instanceof HttpProblem)) throw error;
      response.set(error.headers);
      sendPage(response, to, `${error.message}.`, error.status);
    }
  });
  const ask: RequestHandler = (request, response, next) => {
    if (userOf(request) === undefined) sendPage(response, localPath(request.originalUrl));
    else next();
  };
  router.get([...pages], ask);
  router.use((request, response, next) => {
    if (isNavigation(request)) void ask(request, response, next);
    else next();
  });
  return router;
}
