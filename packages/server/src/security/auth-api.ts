import { type Logout, loginSchema, type Me } from '@loopwatch/contract/api';
import express, { type RequestHandler, type Response, Router } from 'express';
import type { Logger } from 'pino';
import { isNavigation } from '../http/navigation.ts';
import { jsonBody, parseBody } from '../http/parse-body.ts';
import { HttpProblem, methodNotAllowed } from '../http/problem.ts';
import type { Access } from './access.ts';
import { isSecure } from './cookies.ts';
import { limitLogins } from './limits.ts';
import { ownPath, sendLoginPage } from './login-page.ts';
import { loginStyle } from './login-style.ts';
import type { Oidc } from './oidc.ts';
import { endAtProvider, forgetIdToken } from './oidc-logout.ts';
import { oidcPages } from './oidc-pages.ts';
import { userOf } from './user.ts';

/** `/auth/me`, `/auth/login` and `/auth/logout`. */
export function authApi(access: Access, oidc: Oidc | undefined, logger: Logger): Router {
  const router = Router();
  router
    .route('/auth/me')
    .get((request, response) => {
      const me: Me = {
        required: access.required,
        user: userOf(request) ?? null,
        methods: access.methods,
      };
      response.json(me);
    })
    .all(methodNotAllowed('GET'));
  router
    .route('/auth/login')
    .post(limitLogins(), jsonBody(), (request, response) => {
      const user = access.byToken(parseBody(request, loginSchema).token);
      if (user === undefined) throw new HttpProblem(401, 'This token is not known');
      response
        .set('set-cookie', access.login(user, isSecure(request)))
        .status(204)
        .end();
    })
    .all(methodNotAllowed('POST'));
  router
    .route('/auth/logout')
    .post(async (request, response) => {
      const goOn = await endAtProvider(request, oidc, logger);
      response
        .append('set-cookie', access.logout(isSecure(request)))
        .append('set-cookie', forgetIdToken(request));
      if (goOn === null) response.status(204).end();
      else response.json({ goOn } satisfies Logout);
    })
    .all(methodNotAllowed('POST'));
  return router;
}

/** `/login`: what stands in the place of pages for who is not logged in. */
export function loginPages(
  access: Access,
  oidc: Oidc | undefined,
  pages: readonly string[],
  logger: Logger,
): Router {
  const router = Router();
  const sendPage = (response: Response, to: string, alert?: string): void => {
    const failed = alert === undefined ? {} : { alert, wrongToken: true };
    sendLoginPage(response, { to, methods: access.methods, provider: oidc?.options.name, ...failed });
  };
  if (oidc !== undefined) router.use(oidcPages(access, oidc, logger));
  const form = express.urlencoded({ extended: false, limit: '10kb' });
  router.get('/login.css', (_request, response) => {
    response.type('css').send(loginStyle);
  });
  router.post('/login', limitLogins(), form, (request, response) => {
    const { token } = (request.body ?? {}) as { token?: unknown };
    const to = ownPath(request.query['to']);
    const user = typeof token === 'string' ? access.byToken(token.trim()) : undefined;
    if (user === undefined) sendPage(response, to, 'This token is not known. Check it and try again.');
    else response.set('set-cookie', access.login(user, isSecure(request))).redirect(303, to);
  });
  const ask: RequestHandler = (request, response, next) => {
    if (userOf(request) === undefined && access.user(request.headers) === undefined) {
      sendPage(response, ownPath(request.originalUrl));
    } else next();
  };
  router.get([...pages], ask);
  router.use((request, response, next) => {
    if (isNavigation(request)) void ask(request, response, next);
    else next();
  });
  return router;
}
