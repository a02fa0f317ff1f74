import * as api from '@loopwatch/contract/api';
import * as z from 'zod';
import { listOf, type Tag } from './tag.ts';

export const samples: Tag = {
  name: 'Samples',
  description: 'Play sample sessions.',
  operations: {
    '/samples': {
      get: {
        id: 'getSamples',
        description: 'Returns whether sample sessions are playing, and how many are stored',
        answer: api.samplesSchema,
      },
      put: {
        id: 'playSamples',
        description: 'Starts or stops the sample sessions',
        answer: api.samplesSchema,
        body: api.samplesPutSchema,
        example: { playing: false },
        problems: [400, 409, 413],
      },
      delete: {
        id: 'removeSamples',
        description: 'Stops the sample sessions and deletes their data',
        answer: api.samplesSchema,
      },
    },
  },
};

export const administration: Tag = {
  name: 'Administration',
  description: 'See who changed what, create and revoke tokens.',
  operations: {
    '/audit': {
      get: {
        id: 'listAudit',
        description: `Lists who changed what, newest first, for ${String(api.AUDIT_DAYS)} days`,
        answer: api.auditPageSchema,
        query: listOf(api.auditFilterSchema, api.auditSorts),
        problems: [400],
      },
    },
    '/tokens': {
      get: {
        id: 'listTokens',
        description: 'Lists the tokens that operators created, without the tokens themselves',
        answer: api.apiTokensSchema,
      },
      post: {
        id: 'createToken',
        description: 'Creates a token with a name and a role; only this response contains the token itself',
        answer: api.createdApiTokenSchema,
        status: 201,
        body: api.apiTokenPostSchema,
        example: { name: 'billing agent', role: 'producer' },
        problems: [400, 409, 413],
      },
    },
    '/tokens/{id}': {
      delete: {
        id: 'revokeToken',
        description: 'Revokes a token: it is refused at once, and its connections end',
        status: 204,
        problems: [404],
      },
    },
  },
};

export const login: Tag = {
  name: 'Login',
  description: 'Log in and out.',
  operations: {
    '/auth/me': {
      get: { id: 'getMe', description: 'The current user; needs no login', answer: api.meSchema },
    },
    '/auth/login': {
      post: {
        id: 'login',
        description: 'Logs in with a token and sets the session cookie',
        body: api.loginSchema,
        example: { token: 'the value of LOOPWATCH_API_TOKEN' },
        status: 204,
        problems: [400, 413],
      },
    },
    '/auth/logout': {
      post: {
        id: 'logout',
        description: 'Logs out, and returns the identity provider’s logout address',
        status: 204,
        also: { 200: api.logoutSchema },
      },
    },
  },
};

export const server: Tag = {
  name: 'Server',
  description: 'Health, metrics, and this document.',
  operations: {
    '/status': {
      get: { id: 'getStatus', description: 'Returns the status of the server', answer: api.statusSchema },
    },
    '/openapi.json': {
      get: {
        id: 'getOpenApi',
        description: 'Returns this document',
        answer: z.looseObject({ openapi: z.string() }),
      },
    },
  },
};

const readinessSchema = z.object({
  status: z.enum(['ready', 'not ready']),
  checks: z.record(z.string(), z.object({ ok: z.boolean(), detail: z.string().optional() })),
});

/** Outside `/api/v1`. */
export const probes: Tag = {
  ...server,
  operations: {
    '/healthz': {
      get: {
        id: 'getHealth',
        description: 'Liveness: the process answers',
        answer: z.object({ status: z.literal('ok') }),
      },
    },
    '/readyz': {
      get: {
        id: 'getReadiness',
        description: 'Readiness: the log and the database are available',
        answer: readinessSchema,
        also: { 503: readinessSchema },
      },
    },
    '/metrics': { get: { id: 'getMetrics', description: 'Metrics for Prometheus', answer: 'text/plain' } },
  },
};
