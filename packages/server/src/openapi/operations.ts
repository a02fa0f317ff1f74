import * as api from '@loopwatch/contract/api';
import * as z from 'zod';
import { pagingParameters, sortParameter } from '../http/parse-query.ts';
import { statsParameters } from '../stats/stats-query.ts';
import type { Operation } from './operation.ts';

/** The operations under `/api/v1`, by path (without that prefix) and method. */
export const apiOperations: Readonly<Record<string, Readonly<Record<string, Operation>>>> = {
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
  '/incidents': {
    get: {
      id: 'listIncidents',
      description: 'Lists incidents, newest first by default',
      answer: api.incidentPageSchema,
      query: listOf(api.incidentFilterSchema, api.incidentSorts),
      problems: [400],
    },
    patch: {
      id: 'triageIncidents',
      description: 'Triages several incidents at once',
      answer: api.triageResultSchema,
      body: api.triageManySchema,
      example: { ids: ['i-0c2fb5ed6cc922e0'], change: { status: 'acknowledged' } },
      problems: [400, 409, 413],
    },
  },
  '/incidents/{id}': {
    get: {
      id: 'getIncident',
      description: 'Returns an incident with its evidence',
      answer: api.incidentDetailSchema,
      problems: [404],
    },
    patch: {
      id: 'triageIncident',
      description: 'Triages an incident: acknowledge, mute, false positive, note, or undo',
      answer: api.incidentDetailSchema,
      body: api.triagePatchSchema,
      example: { status: 'false_positive', note: 'It waits for a deployment.' },
      problems: [400, 404, 409, 413],
    },
  },
  '/incidents/{id}/comments/{revision}': {
    delete: {
      id: 'deleteComment',
      description: 'Deletes one of your own comments, by the revision of its change',
      status: 204,
      problems: [404],
    },
  },
  '/incidents/{id}/remedies': {
    get: {
      id: 'listRemedies',
      description: 'Lists the settings under which an incident would not have been reported',
      answer: api.remediesSchema,
      problems: [404],
    },
  },
  '/incident-groups': {
    get: {
      id: 'listIncidentGroups',
      description: 'Lists groups of identical loops',
      answer: api.incidentGroupPageSchema,
      query: listOf(api.incidentFilterSchema, api.groupSorts),
      problems: [400],
    },
  },
  '/incident-groups/{key}': {
    patch: {
      id: 'triageIncidentGroup',
      description: 'Triages every incident of a group',
      answer: api.groupTriageResultSchema,
      body: api.triagePatchSchema,
      example: { status: 'false_positive' },
      problems: [400, 404, 409, 413],
    },
  },
  '/mutes': {
    get: { id: 'listMutes', description: 'Lists the active mutes by cause', answer: api.mutesSchema },
    post: {
      id: 'addMute',
      description: 'Mutes a cause: its existing and future incidents',
      answer: api.muteSchema,
      status: 201,
      body: api.mutePostSchema,
      example: { cause: { tool: 'deploy_status', detector: 'tool-repeat' }, untilEscalates: true },
      problems: [400, 413],
    },
  },
  '/mutes/{id}': {
    delete: { id: 'removeMute', description: 'Removes a mute', status: 204, problems: [404] },
  },
  '/verdicts': {
    get: {
      id: 'listVerdicts',
      description: 'Lists verdicts, newest first',
      answer: api.verdictPageSchema,
      query: listOf(api.verdictFilterSchema, ['detectedAt']),
      problems: [400],
    },
  },
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
  '/sessions': {
    get: {
      id: 'listSessions',
      description: 'Lists sessions, most recently active first by default',
      answer: api.sessionPageSchema,
      query: listOf(api.sessionFilterSchema, api.sessionSorts),
      problems: [400],
    },
    delete: {
      id: 'eraseSessions',
      description:
        'Erases the sessions of a tenant or with a tag for good: pass one of them. Events that arrive later begin new sessions',
      answer: api.erasureSchema,
      query: api.erasureQuerySchema,
      problems: [400],
    },
  },
  '/sessions/{id}': {
    get: {
      id: 'getSession',
      description: 'Returns a session with its incidents',
      answer: api.sessionDetailSchema,
      problems: [404],
    },
    delete: {
      id: 'eraseSession',
      description:
        'Erases a session and its sub-agents for good, also one that is not stored any more. Events that arrive later begin a new session',
      answer: api.erasureSchema,
    },
  },
  '/sessions/{id}/events': {
    get: {
      id: 'listSessionEvents',
      description: 'Lists the events of a session, read from the log',
      answer: api.sessionEventsSchema,
      query: api.sessionEventsQuerySchema,
      problems: [400, 404],
    },
  },
  '/sessions/{id}/outline': {
    get: {
      id: 'getSessionOutline',
      description: 'Summarizes a whole session for a map of it, and finds events by their text',
      answer: api.sessionOutlineSchema,
      query: api.sessionOutlineQuerySchema,
      problems: [400, 404],
    },
  },
  '/sessions/{id}/messages': {
    get: {
      id: 'listSessionMessages',
      description: 'Returns the conversation of a session as stored by the gateway',
      answer: api.sessionMessagesSchema,
      query: z.object(pagingParameters).partial(),
      problems: [400, 404],
    },
  },
  '/sessions/{id}/records/{offset}': {
    get: {
      id: 'getSessionRecord',
      description: 'Returns a raw record of a session',
      answer: api.sessionRecordSchema,
      problems: [404],
    },
  },
  '/settings': {
    get: {
      id: 'listSettings',
      description: 'Lists the settings that can be changed, and the scopes with overrides',
      answer: api.settingsOverviewSchema,
    },
  },
  '/settings/{scope}': {
    get: {
      id: 'getSettings',
      description: 'Returns the overrides of a scope, its effective values and their origins',
      answer: api.scopeSettingsSchema,
      problems: [400],
    },
    put: {
      id: 'putSettings',
      description: 'Replaces the overrides of a scope',
      answer: api.scopeSettingsSchema,
      body: api.settingsPutSchema,
      example: { set: { 'tool_call_loop.max_repeats': 6, 'semantic.enabled': false } },
      problems: [400, 404, 409, 413],
    },
    delete: {
      id: 'deleteSettings',
      description: 'Removes the overrides of a scope',
      answer: api.scopeSettingsSchema,
      problems: [400, 404],
    },
  },
  '/stats': {
    get: {
      id: 'getStats',
      description:
        'Returns statistics of a time range, or with groupBy the cost of loops by agent, model and other dimensions',
      answer: z.union([api.statsSchema, api.breakdownSchema]),
      query: z.object({ ...api.breakdownQuerySchema.shape, ...statsParameters.shape }),
      problems: [400],
    },
  },
  '/overview': {
    get: {
      id: 'getOverview',
      description: 'Returns a snapshot for the overview page',
      answer: api.overviewSchema,
      query: api.overviewQuerySchema,
      problems: [400],
    },
  },
  '/budgets': {
    get: {
      id: 'listBudgets',
      description: 'Lists what is used of the budgets that apply now',
      answer: api.budgetsSchema,
      query: api.budgetQuerySchema,
      problems: [400],
    },
  },
  '/reports/weekly': {
    get: {
      id: 'getWeeklyReport',
      description: 'Returns what happened in a week, compared with the week before',
      answer: api.weeklyReportSchema,
      query: api.weeklyReportQuerySchema,
      problems: [400],
    },
  },
  '/deploys': {
    get: {
      id: 'listDeploys',
      description: 'Lists when versions of agents started to run',
      answer: api.deploysSchema,
      query: api.deployQuerySchema,
      problems: [400],
    },
    post: {
      id: 'addDeploy',
      description: 'Marks a deploy on charts, as a pipeline does that deploys an agent',
      answer: api.deploySchema,
      status: 201,
      body: api.deployPostSchema,
      example: { version: '2.4.0', agent: 'checkout-agent' },
      problems: [400, 413],
    },
  },
  '/deploys/{id}': {
    delete: { id: 'deleteDeploy', description: 'Deletes a posted deploy', status: 204, problems: [404] },
  },
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
  '/backtests': {
    get: {
      id: 'listBacktests',
      description: 'Lists backtests, newest first, without results',
      answer: api.backtestListSchema,
    },
    post: {
      id: 'startBacktest',
      description: 'Starts a backtest: runs recorded sessions with other settings',
      answer: api.backtestSchema,
      status: 202,
      body: api.backtestRequestSchema,
      example: {
        variants: [
          { name: 'now', set: {} },
          { name: 'stricter', set: { 'tool_call_loop.max_repeats': 3 } },
        ],
        sessions: { labelled: true },
      },
      problems: [400, 413],
    },
  },
  '/backtests/{id}': {
    get: {
      id: 'getBacktest',
      description: 'Returns a backtest with its progress and results',
      answer: api.backtestSchema,
      problems: [404],
    },
    delete: {
      id: 'cancelBacktest',
      description: 'Cancels a running backtest',
      answer: api.backtestSchema,
      problems: [404],
    },
  },
  '/exports/labels.jsonl': {
    get: {
      id: 'exportLabels',
      description: 'Exports triaged sessions as labels for `npm run eval`',
      answer: 'application/x-ndjson',
    },
  },
  '/exports/events.jsonl': {
    get: {
      id: 'exportEvents',
      description: 'Exports the events of triaged sessions',
      answer: 'application/x-ndjson',
    },
  },
  '/notifications': {
    get: {
      id: 'listNotifications',
      description: 'Lists notifications with their delivery status',
      answer: api.notificationsSchema,
    },
  },
  '/notifications/{name}': {
    put: {
      id: 'putNotification',
      description: 'Creates or replaces a notification; a secret that is sent back hidden is kept',
      answer: api.notificationStatusSchema,
      body: api.notificationPutSchema,
      example: { type: 'slack', token: 'xoxb-1', channel: '#agents', when: { action: 'block' } },
      problems: [400, 409, 413],
    },
    delete: {
      id: 'deleteNotification',
      description: 'Deletes a notification that was created through the API, with its pending messages',
      status: 204,
      problems: [404, 409],
    },
  },
  '/notifications/{name}/test': {
    post: {
      id: 'testNotification',
      description: 'Sends a test message now; 502 when delivery fails',
      answer: api.notificationTestSchema,
      problems: [404, 502],
    },
  },
  '/status': {
    get: { id: 'getStatus', description: 'Returns the status of the server', answer: api.statusSchema },
  },
  '/events': {
    post: {
      id: 'postEvents',
      description: 'Sends events',
      answer: api.postedEventsSchema,
      status: 202,
      query: api.postedEventsQuerySchema,
      body: z
        .looseObject({ type: z.string(), sessionId: z.string() })
        .describe('An agent event; `time` defaults to now.'),
      example: {
        sessionId: 's-1',
        type: 'tool_call_request',
        name: 'read_file',
        args: { path: 'README.md' },
        agent: 'coder',
      },
      lines:
        'One event, an array of events (up to 20 MB), or one event per line (up to 1 GiB), written as they arrive. Valid events are accepted even when others are rejected. A problem carries the same counts, and `unreadFromLine` or `retryFromLine`: the line to continue from.',
      problems: [400, 413, 415, 422],
    },
  },
  '/decide': {
    post: {
      id: 'decideCall',
      description: 'Decides a call before it runs; records nothing',
      answer: api.decisionSchema,
      body: api.proposedCallSchema,
      example: { sessionId: 's-1', name: 'read_file', args: { path: 'README.md' } },
      problems: [400, 413],
    },
  },
  '/hooks/generic': {
    post: {
      id: 'answerGenericHook',
      description: 'Decides a call before it runs, or takes its result: a hook for any agent',
      answer: api.genericHookAnswerSchema,
      body: api.genericHookSchema,
      example: { session: 's-1', event: 'before', tool: 'read_file', arguments: { path: 'README.md' } },
      problems: [400, 413, 422],
    },
  },
  '/hooks/litellm/beta/litellm_basic_guardrail_api': {
    post: {
      id: 'answerLitellmGuardrail',
      description: 'Blocks responses that continue a loop: LiteLLM’s Generic Guardrail API',
      answer: api.guardrailAnswerSchema,
      body: api.guardrailRequestSchema,
      example: {
        input_type: 'response',
        litellm_call_id: 'c-1',
        tool_calls: [{ id: 'call_1', function: { name: 'read_file', arguments: '{"path":"README.md"}' } }],
      },
      problems: [400, 413, 422],
    },
  },
  '/hooks/{agent}': {
    post: {
      id: 'answerHook',
      description: 'Handles the input of a coding agent’s hook, and answers in the agent’s format',
      answer: z.looseObject({}).describe('Empty when the agent may continue.'),
      body: z
        .looseObject({ hook_event_name: z.string(), session_id: z.string() })
        .describe(`The hook input of ${api.hookAgents.join(', ')}.`),
      example: {
        hook_event_name: 'PreToolUse',
        session_id: 's-1',
        tool_name: 'Read',
        tool_input: { file_path: 'README.md' },
        tool_use_id: 'toolu_1',
      },
      problems: [400, 404, 413, 422],
    },
  },
  '/sessions/{id}/stop': {
    post: {
      id: 'stopSession',
      description: 'Stops a session: a gateway, hook or guard denies its next call',
      answer: api.sessionStopSchema,
      problems: [404],
    },
    delete: {
      id: 'resumeSession',
      description: 'Resumes a stopped session',
      answer: api.sessionStopSchema,
      problems: [404],
    },
  },
  '/sessions/{id}/verdicts/stream': {
    get: {
      id: 'streamVerdicts',
      description:
        'Streams a session as server-sent events: its verdicts, which incidents are dismissed, and whether it is stopped',
      answer: 'text/event-stream',
    },
  },
  '/openapi.json': {
    get: {
      id: 'getOpenApi',
      description: 'Returns this document',
      answer: z.looseObject({ openapi: z.string() }),
    },
  },
};

const readinessSchema = z.object({
  status: z.enum(['ready', 'not ready']),
  checks: z.record(z.string(), z.object({ ok: z.boolean(), detail: z.string().optional() })),
});

/** The operations outside `/api/v1`. */
export const otherOperations: Readonly<Record<string, Readonly<Record<string, Operation>>>> = {
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
};

function listOf(filters: z.ZodObject, sorts: readonly string[]): z.ZodObject {
  return z.object({ ...filters.shape, ...pagingParameters, sort: sortParameter(sorts) });
}
