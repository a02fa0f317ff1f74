import { loginSchema, type Me } from '@loopwatch/contract/api';
import express, { type Request, type RequestHandler, Router } from 'express';
import { isNavigation } from '../http/navigation.ts';
import { jsonBody, parseBody } from '../http/parse-body.ts';
import { HttpProblem, methodNotAllowed } from '../http/problem.ts';
import type { Access } from './access.ts';
import { limitLogins } from './limits.ts';
import { loginStyle, ownPath, sendLoginPage } from './login-page.ts';
import { userOf } from './user.ts';

/** `/auth/me`, `/auth/login` and `/auth/logout`. */
export function authApi(access: Access): Router {
  const router = Router();
  router
    .route('/auth/me')
    .get((request, response) => {
      const me: Me = {
        required: access.required,
        user: userOf(request) ?? null,
        methods: access.required ? ['token'] : [],
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
    .post((request, response) => {
      response
        .set('set-cookie', access.logout(isSecure(request)))
        .status(204)
        .end();
    })
    .all(methodNotAllowed('POST'));
  return router;
}

/** `/login`: what stands in the place of pages for who is not logged in. */
export function loginPages(access: Access, pages: readonly string[]): Router {
  const router = Router();
  const form = express.urlencoded({ extended: false, limit: '10kb' });
  router.get('/login.css', (_request, response) => {
    response.type('css').send(loginStyle);
  });
  router.post('/login', limitLogins(), form, (request, response) => {
    const { token } = (request.body ?? {}) as { token?: unknown };
    const to = ownPath(request.query['to']);
    const user = typeof token === 'string' ? access.byToken(token.trim()) : undefined;
    if (user === undefined) sendLoginPage(response, { to, failed: true });
    else response.set('set-cookie', access.login(user, isSecure(request))).redirect(303, to);
  });
  const ask: RequestHandler = (request, response, next) => {
    if (userOf(request) === undefined && access.user(request.headers) === undefined) {
      sendLoginPage(response, { to: ownPath(request.originalUrl), failed: false });
    } else next();
  };
  router.get([...pages], ask);
  router.use((request, response, next) => {
    if (isNavigation(request)) void ask(request, response, next);
    else next();
  });
  return router;
}

/** Also behind a proxy that ends TLS; who lies about it harms only their own cookie. */
function isSecure(request: Request): boolean {
  return request.secure || request.headers['x-forwarded-proto'] === 'https';
}
