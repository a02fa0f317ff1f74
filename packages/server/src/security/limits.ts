import type { RequestHandler } from 'express';
import { rateLimit } from 'express-rate-limit';
import { HttpProblem } from '../http/problem.ts';

const minute = 60_000;

/** Requests a minute from one address: far more than a page makes, far fewer than would keep others out. */
export const requestsPerMinute = 3_000;
/** Wrong tokens a minute from one address. */
export const loginsPerMinute = 10;

/** Bounds what one address may ask for; posted events are bounded by what the log takes. */
export function limitRequests(isFree: (path: string) => boolean): RequestHandler {
  return rateLimit({
    windowMs: minute,
    limit: requestsPerMinute,
    ...common,
    skip: ({ path, method }) => isFree(path) || (method === 'POST' && path === '/api/v1/events'),
    handler: () => {
      throw new HttpProblem(429, `More than ${String(requestsPerMinute)} requests a minute; wait a little`);
    },
  });
}

/** Bounds guessing. Logins that succeed do not count. */
export function limitLogins(): RequestHandler {
  return rateLimit({
    windowMs: minute,
    limit: loginsPerMinute,
    ...common,
    skipSuccessfulRequests: true,
    handler: () => {
      throw new HttpProblem(429, `More than ${String(loginsPerMinute)} wrong tokens a minute; wait a minute`);
    },
  });
}

const common = {
  standardHeaders: 'draft-8',
  legacyHeaders: false,
  // The address that connects counts, never one that a header claims.
  validate: { xForwardedForHeader: false, forwardedHeader: false },
} as const;
