import { hookAgents } from '@loopwatch/contract/api';
import type { RequestHandler } from 'express';
import { rateLimit } from 'express-rate-limit';
import { HttpProblem } from '../http/problem.ts';

const MINUTE = 60_000;

/** Requests per minute and address: far more than a page makes, few enough to leave room for other clients. */
export const REQUESTS_PER_MINUTE = 3_000;

/** Paths of agents and producers, of which many may share an address. */
const agentPaths: ReadonlySet<string> = new Set([
  '/api/v1/events',
  '/api/v1/decide',
  '/api/v1/hooks/generic',
  '/api/v1/hooks/litellm/beta/litellm_basic_guardrail_api',
  ...hookAgents.map((agent) => `/api/v1/hooks/${agent}`),
  '/v1/traces',
  '/v1/logs',
]);

/** Limits requests per address; posted events are limited by the throughput of the log instead. */
export function limitRequests(isExempt: (path: string) => boolean): RequestHandler {
  return rateLimit({
    windowMs: MINUTE,
    limit: REQUESTS_PER_MINUTE,
    ...common,
    skip: ({ path, method }) => isExempt(path) || (method === 'POST' && agentPaths.has(path)),
    handler: () => {
      throw new HttpProblem(
        429,
        `Too many requests (limit ${String(REQUESTS_PER_MINUTE)} per minute and address); retry later`,
      );
    },
  });
}

const common = {
  standardHeaders: 'draft-8',
  legacyHeaders: false,
  // server.trust_proxy decides whose headers are trusted; others are ignored.
  validate: { xForwardedForHeader: false, forwardedHeader: false },
} as const;
