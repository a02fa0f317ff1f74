import { userHeader } from '@loopwatch/contract/api';
import type { RequestHandler } from 'express';
import { HttpProblem } from '../http/problem.ts';
import { bearerOf } from './access.ts';
import type { Auth } from './auth.ts';
import type { Hosts } from './hosts.ts';
import { setUser, userOf, withRequestedName } from './user.ts';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Allowed for viewers as well: they change nothing but the login. */
const allowedForViewers = new Set(['/api/v1/auth/login', '/api/v1/auth/logout', '/login', '/logout']);

/**
 * Attaches the user to a request.
 *
 * @throws HttpProblem 400 for an invalid user name, 429 when its address has sent too many wrong tokens
 */
export function authenticate(auth: Auth): RequestHandler {
  return async (request, _response, next) => {
    const user = await auth.userOf(request);
    if (user !== undefined)
      setUser(request, auth.isShared(user) ? withRequestedName(user, request.get(userHeader)) : user);
    next();
  };
}

/** What producers may do: tell, ask about their own calls, and follow the verdicts on a session. */
const ALLOWED_FOR_PRODUCERS: readonly RegExp[] = [
  /^POST \/api\/v1\/(?:events|decide|hooks\/[^/]+)\/?$/,
  /^POST \/api\/v1\/hooks\/litellm\/beta\/litellm_basic_guardrail_api\/?$/,
  /^POST \/v1\/(?:traces|logs|metrics)\/?$/,
  /^GET \/api\/v1\/sessions\/[^/]+\/verdicts\/stream\/?$/,
];

/**
 * Checks role and origin. Pages of other origins may never change anything, regardless of who is logged in.
 *
 * @param isPublic whether a path needs no login
 */
export function authorize(hosts: Hosts, isPublic: (path: string) => boolean): RequestHandler {
  return (request, response, next) => {
    const isChange = !safeMethods.has(request.method);
    const isForeign = !hosts.isSameOrigin(request) || request.headers['sec-fetch-site'] === 'cross-site';
    if (isChange && isForeign) {
      throw new HttpProblem(403, 'Cross-origin requests may not change anything');
    }
    const user = userOf(request);
    if (isPublic(request.path)) {
      next();
      return;
    }
    if (user === undefined) {
      response.set('www-authenticate', 'Bearer realm="loopwatch"');
      throw new HttpProblem(
        401,
        bearerOf(request.headers.authorization) === undefined
          ? 'Log in, or send a token: authorization: Bearer <LOOPWATCH_API_TOKEN, LOOPWATCH_VIEWER_TOKEN or LOOPWATCH_INGEST_TOKEN>'
          : 'The token in the header authorization is wrong, revoked or expired',
      );
    }
    if (user.role === 'producer') {
      const call = `${request.method} ${request.path}`;
      if (!ALLOWED_FOR_PRODUCERS.some((allowed) => allowed.test(call)))
        throw new HttpProblem(
          403,
          'Producer tokens may only send events and ask about calls; use a viewer or operator token',
        );
      next();
      return;
    }
    if (isChange && user.role !== 'operator' && !allowedForViewers.has(request.path)) {
      throw new HttpProblem(403, 'Viewers have read-only access; this needs the operator role');
    }
    next();
  };
}
