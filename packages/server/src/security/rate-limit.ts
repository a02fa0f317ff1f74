import { hookAgents } from '@loopwatch/contract/api';
import type { RequestHandler } from 'express';
import { rateLimit } from 'express-rate-limit';
import { HttpProblem } from '../http/problem.ts';

const minute = 60_000;

/** Requests a minute from one address: far more than a page makes, far fewer than would keep others out. */
export const requestsPerMinute = 3_000;

/** Where producers post what agents do, and ask before each call: many agents may share an address. */
const waysIn: ReadonlySet<string> = new Set([
  '/api/v1/events',
  '/api/v1/decide',
  ...hookAgents.map((agent) => `/api/v1/hooks/${agent}`),
  '/v1/traces',
  '/v1/logs',
]);

/** Bounds what one address may ask for; posted events are bounded by what the log takes. */
export function limitRequests(isFree: (path: string) => boolean): RequestHandler {
  return rateLimit({
    windowMs: minute,
    limit: requestsPerMinute,
    ...common,
    skip: ({ path, method }) => isFree(path) || (method === 'POST' && waysIn.has(path)),
    handler: () => {
      throw new HttpProblem(429, `More than ${String(requestsPerMinute)} requests a minute; wait a little`);
    },
  });
}

const common = {
  standardHeaders: 'draft-8',
  legacyHeaders: false,
  // Whose headers count is for server.trust_proxy to say; all others are left aside.
  validate: { xForwardedForHeader: false, forwardedHeader: false },
} as const;
