import { userHeader } from '@loopwatch/contract/api';
import type { RequestHandler } from 'express';
import { HttpProblem } from '../http/problem.ts';
import { type Access, bearerOf } from './access.ts';
import type { Hosts } from './hosts.ts';
import type { TokenVerifier } from './token-verifier.ts';
import { setUser, userOf, withRequestedName } from './user.ts';

const reading = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Open to viewers, too: they change nothing but who is logged in. */
const anyRole = new Set(['/api/v1/auth/login', '/api/v1/auth/logout', '/login', '/logout']);

/**
 * Finds out who sends a request, before anything else is done with it.
 *
 * @throws HttpProblem 400 when the name that a user gives is none, 429 when too many wrong tokens came from there
 */
export function authenticate(access: Access, checks: TokenVerifier, hosts: Hosts): RequestHandler {
  return async (request, _response, next) => {
    const bearer = access.required ? bearerOf(request.headers.authorization) : undefined;
    const user =
      bearer === undefined
        ? access.user(request.headers)
        : await checks.check(bearer, hosts.addressOf(request));
    if (user !== undefined)
      setUser(request, access.shared ? withRequestedName(user, request.get(userHeader)) : user);
    next();
  };
}

/**
 * Lets in who may do what is asked. Requests of other origins' pages never may change anything, whoever is logged in.
 *
 * @param isOpen whether a path needs no login
 */
export function guard(hosts: Hosts, isOpen: (path: string) => boolean): RequestHandler {
  return (request, response, next) => {
    const changes = !reading.has(request.method);
    const isForeign = !hosts.isSameOrigin(request) || request.headers['sec-fetch-site'] === 'cross-site';
    if (changes && isForeign) {
      throw new HttpProblem(403, 'A page of another origin may not do that from a browser');
    }
    const user = userOf(request);
    if (isOpen(request.path)) {
      next();
      return;
    }
    if (user === undefined) {
      response.set('www-authenticate', 'Bearer realm="loopwatch"');
      throw new HttpProblem(
        401,
        'Log in, or send a token: authorization: Bearer <LOOPWATCH_API_TOKEN or LOOPWATCH_VIEWER_TOKEN>',
      );
    }
    if (changes && user.role !== 'operator' && !anyRole.has(request.path)) {
      throw new HttpProblem(403, 'A viewer may look, and change nothing; that takes the operator token');
    }
    next();
  };
}
