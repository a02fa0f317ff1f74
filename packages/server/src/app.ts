import type { Copies } from '@loopwatch/formats';
import express, { type Express, type RequestHandler, Router } from 'express';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { auditApi } from './audit/audit-api.ts';
import type { AuditLog } from './audit/audit-log.ts';
import type { BacktestJobs } from './backtests/backtest-jobs.ts';
import { type BacktestsApiOptions, backtestsApi } from './backtests/backtests-api.ts';
import { exportsApi } from './backtests/exports-api.ts';
import { type BudgetsApiOptions, budgetsApi } from './budgets/budgets-api.ts';
import { type DeploysApiOptions, deploysApi } from './deploys/deploys-api.ts';
import { type ErasureApiOptions, erasureHandlers } from './erasure/erasure-api.ts';
import type { EventIngest } from './events/event-ingest.ts';
import { eventsApi } from './events/events-api.ts';
import { otlpApi } from './events/otlp-api.ts';
import type { Feeds } from './feed/feeds.ts';
import { decideApi } from './guard/decide-api.ts';
import { hooksApi } from './guard/hooks-api.ts';
import { litellmGuardrail } from './guard/litellm-guardrail.ts';
import { type StopApiOptions, stopApi } from './guard/stop-api.ts';
import { verdictStreamApi } from './guard/verdict-stream-api.ts';
import type { VerdictStreams } from './guard/verdict-streams.ts';
import { healthChecks, measureReadiness, metricsRoute } from './health.ts';
import { compress } from './http/compress.ts';
import { dotSegments } from './http/dot-segments.ts';
import { methodNotAllowed, notFound, problemHandler } from './http/problem.ts';
import { API, routePattern } from './http/route-pattern.ts';
import { traceRequests } from './http/trace-requests.ts';
import { type IncidentsApiOptions, incidentsApi } from './incidents/incidents-api.ts';
import type { ServerMetrics } from './metrics/metrics.ts';
import { notificationsApi } from './notifications/notifications-api.ts';
import { openApiDocument } from './openapi/document.ts';
import { type SamplesApiOptions, samplesApi } from './samples/samples-api.ts';
import type { Auth } from './security/auth.ts';
import { authApi, loginPages } from './security/auth-api.ts';
import { authenticate, authorize } from './security/authorize.ts';
import { securityHeaders } from './security/headers.ts';
import { requireKnownHost } from './security/hosts.ts';
import { limitRequests } from './security/rate-limit.ts';
import { type SessionEventsApiOptions, sessionEventsApi } from './sessions/session-events-api.ts';
import { sessionMessagesApi } from './sessions/session-messages-api.ts';
import { sessionRecordApi } from './sessions/session-record-api.ts';
import { sessionsApi } from './sessions/sessions-api.ts';
import { type SettingsApiOptions, settingsApi } from './settings/settings-api.ts';
import { pages, staticDashboard } from './static-dashboard.ts';
import { type OverviewApiOptions, overviewApi } from './stats/overview-api.ts';
import { reportsApi } from './stats/reports-api.ts';
import { type StatsApiOptions, statsApi } from './stats/stats-api.ts';
import { type StatusApiOptions, statusApi } from './status/status-api.ts';
import { type TokensApiOptions, tokensApi } from './tokens/tokens-api.ts';
import { mutesApi } from './triage/mutes-api.ts';

/** Endpoints that need no login. */
const publicPaths = new Set([`${API}/auth/me`, `${API}/auth/login`, `${API}/auth/logout`]);

export interface AppOptions
  extends IncidentsApiOptions,
    StatsApiOptions,
    OverviewApiOptions,
    SettingsApiOptions,
    SessionEventsApiOptions,
    StatusApiOptions,
    BacktestsApiOptions,
    BudgetsApiOptions,
    DeploysApiOptions,
    StopApiOptions,
    SamplesApiOptions,
    ErasureApiOptions,
    TokensApiOptions {
  readonly audit: AuditLog;
  readonly feeds: Feeds;
  readonly jobs: BacktestJobs;
  readonly registry: Registry;
  readonly logger: Logger;
  readonly metrics: Pick<ServerMetrics, 'requests'>;
  readonly dashboardDir: string;
  readonly auth: Auth;
  readonly ingest: EventIngest;
  readonly copies: Copies;
  readonly verdictStreams: VerdictStreams;
}

/** The Express application: health, API, login and dashboard. Errors become problem details. */
export function createApp(options: AppOptions): Express {
  const { auth, ingest, dashboardDir } = options;
  const app = express();
  measureReadiness(options.readiness, options.registry);
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  app.set('trust proxy', auth.hosts.isTrustedProxy);
  app.use(measureRequests(options.metrics.requests));
  app.use(traceRequests());
  app.use(securityHeaders());
  app.use(compress());
  app.use(healthChecks(options.readiness));
  app.use(requireKnownHost(auth.hosts));
  app.use(limitRequests((path) => path.startsWith('/assets/')));
  app.use(authenticate(auth));
  app.use(loginPages(auth, dashboardDir, pages));
  app.use(authorize(auth.hosts, (path) => publicPaths.has(path)));
  app.use(metricsRoute(options.registry));
  app.use(API, noStore, api(options));
  app.use(otlpApi(ingest));
  app.use(staticDashboard(dashboardDir));
  app.use(notFound);
  app.use(problemHandler(options.logger));
  return app;
}

function api(options: AppOptions): Router {
  const router = Router();
  router.use(dotSegments);
  /** Made by the first request: it takes 0.1 s, which no start should. */
  let document: object | undefined;
  router.use(authApi(options.auth, options.now));
  router.use(incidentsApi(options));
  router.use(mutesApi(options));
  router.use(auditApi(options));
  router.use(tokensApi(options));
  router.use(sessionsApi({ ...options, erase: erasureHandlers(options) }));
  router.use(sessionEventsApi(options));
  router.use(sessionRecordApi(options));
  router.use(sessionMessagesApi(options));
  router.use(settingsApi(options));
  router.use(statsApi(options));
  router.use(overviewApi(options));
  router.use(reportsApi(options));
  router.use(budgetsApi(options));
  router.use(deploysApi(options));
  router.use(samplesApi(options));
  router.use(statusApi(options));
  router.use(notificationsApi(options));
  router.use(backtestsApi(options));
  router.use(exportsApi(options));
  router.use(eventsApi(options.ingest));
  router.use(decideApi(options.guard));
  router.use(hooksApi(options.guard, options.copies));
  router.use(litellmGuardrail(options.guard));
  router.use(stopApi(options));
  router.use(verdictStreamApi(options.verdictStreams));
  router
    .route('/openapi.json')
    .get((_request, response) => {
      response.json((document ??= openApiDocument(options.info)));
    })
    .all(methodNotAllowed('GET'));
  return router;
}

const noStore: RequestHandler = (_request, response, next) => {
  response.set('cache-control', 'no-store');
  next();
};

/** Measures requests by route pattern, so that ids never become label values. */
function measureRequests(histogram: ServerMetrics['requests']): RequestHandler {
  return (request, response, next) => {
    const stop = histogram.startTimer({ method: request.method });
    response.on('finish', () => {
      stop({ route: routePattern(request) ?? 'other', status: response.statusCode });
    });
    next();
  };
}
