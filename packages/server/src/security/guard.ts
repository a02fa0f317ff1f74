import type { Request, RequestHandler } from 'express';
import { HttpProblem } from '../http/problem.ts';
import type { Access } from './access.ts';
import { isSameOrigin } from './origin.ts';
import { setUser } from './user.ts';

const reading = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Open to viewers, too: they change nothing but who is logged in. */
const anyRole = new Set(['/api/v1/auth/login', '/api/v1/auth/logout', '/login', '/logout']);

/**
 * Lets in who may do what is asked. Requests of other origins' pages never may change anything, whoever is logged in.
 *
 * @param isOpen whether a path needs no login
 */
export function guard(access: Access, isOpen: (path: string) => boolean): RequestHandler {
  return (request, response, next) => {
    const changes = !reading.has(request.method);
    if (changes && isForeign(request)) {
      throw new HttpProblem(403, 'A page of another origin may not do that from a browser');
    }
    const user = access.user(request.headers);
    if (user !== undefined) setUser(request, user);
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

function isForeign({ headers }: Request): boolean {
  return !isSameOrigin(headers) || headers['sec-fetch-site'] === 'cross-site';
}

/**
 * Where nobody has to log in and only this machine is served, a page on the web could still reach the server by a name
 * of its own that points here. Addresses and names of this machine cannot be such a name.
 */
export function ownHostOnly(access: Access, host: string): RequestHandler {
  const guarded = !access.required && ['127.0.0.1', '::1', 'localhost'].includes(host);
  return (request, _response, next) => {
    if (guarded && !isOwnName(request.hostname)) {
      throw new HttpProblem(
        421,
        `This server is not known as ${request.hostname}. To serve it under a name, set LOOPWATCH_API_TOKEN`,
      );
    }
    next();
  };
}

/** Sockets do not go through the handlers of requests. */
export function isOwnHost(access: Access, host: string, header: string | undefined): boolean {
  if (access.required || !['127.0.0.1', '::1', 'localhost'].includes(host)) return true;
  return header === undefined || isOwnName(header.replace(/:\d+$/, ''));
}

function isOwnName(name: string | undefined): boolean {
  if (name === undefined) return true;
  return /^(localhost|.+\.localhost|\d+\.\d+\.\d+\.\d+|\[[0-9a-f:.]+\]|[0-9a-f:]+)$/i.test(name);
}
