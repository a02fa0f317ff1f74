import * as api from '@loopwatch/contract/api';
import { z } from 'zod';
import { pagingParameters, sortParameter } from '../http/parse-query.ts';
import type { Operation } from './operation.ts';

/** Every operation of the API, by path and method; those under `/api/v1` without that prefix. */
export const apiOperations: Readonly<Record<string, Readonly<Record<string, Operation>>>> = {
  '/auth/me': {
    get: { id: 'getMe', summary: 'Who is asking; answers without a login, too', answer: api.meSchema },
  },
  '/auth/login': {
    post: {
      id: 'login',
      summary: 'Leaves a cookie, for a token',
      body: api.loginSchema,
      status: 204,
      problems: [400, 413],
    },
  },
  '/auth/logout': {
    post: {
      id: 'logout',
      summary: 'Takes the cookie away, and says where to log out at the provider of logins',
      status: 204,
      also: { 200: api.logoutSchema },
    },
  },
  '/incidents': {
    get: {
      id: 'listIncidents',
      summary: 'Incidents, newest first unless sorted otherwise',
      answer: api.incidentPageSchema,
      query: listOf(api.incidentFilterSchema, api.incidentSorts),
      problems: [400],
    },
    patch: {
      id: 'triageIncidents',
      summary: 'Says the same of several incidents',
      answer: api.triagedSchema,
      body: api.triageManySchema,
      problems: [400, 409, 413],
    },
  },
  '/incidents/{id}': {
    get: {
      id: 'getIncident',
      summary: 'One incident with its evidence',
      answer: api.incidentDetailSchema,
      problems: [404],
    },
    patch: {
      id: 'triageIncident',
      summary: 'Acknowledges, mutes, calls a false positive, notes; or undoes that',
      answer: api.incidentDetailSchema,
      body: api.triagePatchSchema,
      problems: [400, 404, 409, 413],
    },
  },
  '/incident-groups': {
    get: {
      id: 'listIncidentGroups',
      summary: 'Identical loops together',
      answer: api.incidentGroupPageSchema,
      query: listOf(api.incidentFilterSchema, api.groupSorts),
      problems: [400],
    },
  },
  '/verdicts': {
    get: {
      id: 'listVerdicts',
      summary: 'Verdicts, newest first',
      answer: api.verdictPageSchema,
      query: listOf(api.verdictFilterSchema, ['detectedAt']),
      problems: [400],
    },
  },
  '/sessions': {
    get: {
      id: 'listSessions',
      summary: 'Sessions, those with the latest events first unless sorted otherwise',
      answer: api.sessionPageSchema,
      query: listOf(api.sessionFilterSchema, api.sessionSorts),
      problems: [400],
    },
  },
  '/sessions/{id}': {
    get: {
      id: 'getSession',
      summary: 'One session with its incidents',
      answer: api.sessionDetailSchema,
      problems: [404],
    },
  },
  '/sessions/{id}/events': {
    get: {
      id: 'listSessionEvents',
      summary: 'Events of a session, read back from the log',
      answer: api.sessionEventsSchema,
      query: api.sessionEventsQuerySchema,
      problems: [400, 404],
    },
  },
  '/sessions/{id}/messages': {
    get: {
      id: 'listSessionMessages',
      summary: 'The conversation of a session as the gateway has stored it',
      answer: api.sessionMessagesSchema,
      query: z.object(pagingParameters).partial(),
      problems: [400, 404],
    },
  },
  '/sessions/{id}/records/{offset}': {
    get: {
      id: 'getSessionRecord',
      summary: 'One record of a session as it lies in the log',
      answer: api.sessionRecordSchema,
      problems: [404],
    },
  },
  '/settings': {
    get: {
      id: 'listSettings',
      summary: 'Every setting that can change, and the scopes that set something',
      answer: api.settingsOverviewSchema,
    },
  },
  '/settings/{scope}': {
    get: {
      id: 'getSettings',
      summary: 'What a scope sets, what holds in it, and where each value came from',
      answer: api.scopeSettingsSchema,
      problems: [400],
    },
    put: {
      id: 'putSettings',
      summary: 'Replaces what a scope sets',
      answer: api.scopeSettingsSchema,
      body: api.settingsPutSchema,
      problems: [400, 404, 409, 413],
    },
    delete: {
      id: 'deleteSettings',
      summary: 'Takes away what a scope sets',
      answer: api.scopeSettingsSchema,
      problems: [400, 404],
    },
  },
  '/stats': {
    get: {
      id: 'getStats',
      summary: 'What was found in a time, and the numbers over everything',
      answer: api.statsSchema,
      query: api.statsQuerySchema,
      problems: [400],
    },
  },
  '/overview': {
    get: {
      id: 'getOverview',
      summary: 'Everything the overview shows, of one moment',
      answer: api.overviewSchema,
      query: api.overviewQuerySchema,
      problems: [400],
    },
  },
  '/samples': {
    get: {
      id: 'getSamples',
      summary: 'Whether sample sessions are played, and how many are stored',
      answer: api.samplesSchema,
    },
    put: {
      id: 'playSamples',
      summary: 'Plays sample sessions, or stops them',
      answer: api.samplesSchema,
      body: api.samplesPutSchema,
      problems: [400, 409, 413],
    },
    delete: {
      id: 'removeSamples',
      summary: 'Stops sample sessions, and removes what is stored of them',
      answer: api.samplesSchema,
    },
  },
  '/backtests': {
    get: {
      id: 'listBacktests',
      summary: 'The latest first, without results',
      answer: api.backtestListSchema,
    },
    post: {
      id: 'startBacktest',
      summary: 'Begins to hold recorded sessions against other settings',
      answer: api.backtestSchema,
      status: 202,
      body: api.backtestRequestSchema,
      problems: [400, 413],
    },
  },
  '/backtests/{id}': {
    get: {
      id: 'getBacktest',
      summary: 'How it goes, and what came of it',
      answer: api.backtestSchema,
      problems: [404],
    },
    delete: {
      id: 'cancelBacktest',
      summary: 'Ends one that is not done',
      answer: api.backtestSchema,
      problems: [404],
    },
  },
  '/exports/labels.jsonl': {
    get: {
      id: 'exportLabels',
      summary: 'Judged sessions, as npm run eval takes them',
      answer: 'application/x-ndjson',
    },
  },
  '/exports/events.jsonl': {
    get: { id: 'exportEvents', summary: 'The events of these sessions', answer: 'application/x-ndjson' },
  },
  '/status': {
    get: { id: 'getStatus', summary: 'How the server itself is', answer: api.statusSchema },
  },
  '/events': {
    post: {
      id: 'postEvents',
      summary: 'Sends events to be watched',
      answer: api.postedEventsSchema,
      status: 202,
      query: api.postedEventsQuerySchema,
      body: z
        .looseObject({ type: z.string(), sessionId: z.string() })
        .describe('An agent event; `time` is now where it is absent.'),
      lines:
        'One event, an array of events, or one event a line. Good ones are taken even when others are refused.',
      problems: [400, 413, 415, 422],
    },
  },
  '/openapi.json': {
    get: { id: 'getOpenApi', summary: 'This document', answer: z.looseObject({ openapi: z.string() }) },
  },
};

const readinessSchema = z.object({
  status: z.enum(['ready', 'not ready']),
  checks: z.record(z.string(), z.object({ ok: z.boolean(), detail: z.string().optional() })),
});

/** Beside the API. */
export const otherOperations: Readonly<Record<string, Readonly<Record<string, Operation>>>> = {
  '/healthz': {
    get: { id: 'getHealth', summary: 'The process answers', answer: z.object({ status: z.literal('ok') }) },
  },
  '/readyz': {
    get: {
      id: 'getReadiness',
      summary: 'What the server needs is there',
      answer: readinessSchema,
      also: { 503: readinessSchema },
    },
  },
  '/metrics': { get: { id: 'getMetrics', summary: 'Metrics for Prometheus', answer: 'text/plain' } },
};

function listOf(filters: z.ZodObject, sorts: readonly string[]): z.ZodObject {
  return z.object({ ...filters.shape, ...pagingParameters, sort: sortParameter(sorts) });
}
