import type { ServerInfo } from '@loopwatch/contract';
import express, { type Express, type RequestHandler, Router } from 'express';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { type BacktestsApiOptions, backtestsApi } from './backtests/backtests-api.ts';
import { exportsApi } from './backtests/exports-api.ts';
import { EventIngest, type EventIngestOptions } from './events/event-ingest.ts';
import { eventsApi } from './events/events-api.ts';
import { otlpApi } from './events/otlp-api.ts';
import { decideApi } from './guard/decide-api.ts';
import type { Guard } from './guard/guard.ts';
import { hooksApi } from './guard/hooks-api.ts';
import { stopApi } from './guard/stop-api.ts';
import { verdictStreamApi } from './guard/verdict-stream-api.ts';
import type { VerdictStreams } from './guard/verdict-streams.ts';
import { healthChecks, metricsRoute, type Readiness } from './health.ts';
import { compress } from './http/compress.ts';
import { methodNotAllowed, notFound, problemHandler } from './http/problem.ts';
import { type IncidentsApiOptions, incidentsApi } from './incidents/incidents-api.ts';
import { notificationsApi } from './notifications/notifications-api.ts';
import { openApiDocument } from './openapi/document.ts';
import { type SamplesApiOptions, samplesApi } from './samples/samples-api.ts';
import type { Auth } from './security/auth.ts';
import { authApi, loginPages } from './security/auth-api.ts';
import { authenticate, guard } from './security/authorize.ts';
import { securityHeaders } from './security/headers.ts';
import { requireKnownHost } from './security/hosts.ts';
import { limitRequests } from './security/rate-limit.ts';
import { type SessionEventsApiOptions, sessionEventsApi } from './sessions/session-events-api.ts';
import { sessionMessagesApi } from './sessions/session-messages-api.ts';
import { sessionRecordApi } from './sessions/session-record-api.ts';
import { sessionsApi } from './sessions/sessions-api.ts';
import { type SettingsApiOptions, settingsApi } from './settings/settings-api.ts';
import { pages, staticDashboard } from './static-dashboard.ts';
import { overviewApi } from './stats/overview-api.ts';
import { type StatsApiOptions, statsApi } from './stats/stats-api.ts';
import { type StatusApiOptions, statusApi } from './status/status-api.ts';
import { mutesApi } from './triage/mutes-api.ts';

const API = '/api/v1';
/** Reached without a login: how one logs in. */
const openPaths = new Set([`${API}/auth/me`, `${API}/auth/login`, `${API}/auth/logout`]);

export interface AppOptions
  extends IncidentsApiOptions,
    StatsApiOptions,
    SettingsApiOptions,
    SessionEventsApiOptions,
    StatusApiOptions,
    BacktestsApiOptions,
    EventIngestOptions,
    SamplesApiOptions {
  readonly info: ServerInfo;
  readonly registry: Registry;
  readonly logger: Logger;
  readonly readiness: () => Promise<Readiness>;
  readonly dashboardDir: string;
  readonly doors: Auth;
  readonly guard: Guard;
  readonly verdictStreams: VerdictStreams;
  /** Whether other machines reach the server, and need no login. */
  readonly exposed: boolean;
}

/** The HTTP side, without a port: health, API, dashboard, and problem details for the rest. */
export function createApp(options: AppOptions): Express {
  const { access, hosts, checks } = options.doors;
  const app = express();
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  app.set('trust proxy', hosts.trusts);
  app.use(measure(options.metrics.requests));
  app.use(securityHeaders());
  app.use(compress());
  app.use(healthChecks(options.readiness));
  app.use(requireKnownHost(hosts));
  app.use(limitRequests((path) => path.startsWith('/assets/')));
  app.use(authenticate(access, checks, hosts));
  app.use(loginPages(options.doors, pages));
  app.use(guard(hosts, (path) => openPaths.has(path)));
  app.use(metricsRoute(options.registry));
  const bodies = new EventIngest(options);
  app.use(API, noStore, api(options, bodies));
  app.use(otlpApi(bodies));
  app.use(staticDashboard(options.dashboardDir));
  app.use(notFound);
  app.use(problemHandler(options.logger));
  return app;
}

function api(options: AppOptions, bodies: EventIngest): Router {
  const router = Router();
  const document = openApiDocument(options.info);
  router.use(authApi(options.doors, options.exposed, options.now));
  router.use(incidentsApi(options));
  router.use(mutesApi(options));
  router.use(sessionsApi(options));
  router.use(sessionEventsApi(options));
  router.use(sessionRecordApi(options));
  router.use(sessionMessagesApi(options));
  router.use(settingsApi(options));
  router.use(statsApi(options));
  router.use(overviewApi(options));
  router.use(samplesApi(options));
  router.use(statusApi(options));
  router.use(notificationsApi(options));
  router.use(backtestsApi(options));
  router.use(exportsApi(options));
  router.use(eventsApi(bodies));
  router.use(decideApi(options.guard));
  router.use(hooksApi(options.guard));
  router.use(stopApi(options));
  router.use(verdictStreamApi(options.verdictStreams));
  router
    .route('/openapi.json')
    .get((_request, response) => {
      response.json(document);
    })
    .all(methodNotAllowed('GET'));
  return router;
}

const noStore: RequestHandler = (_request, response, next) => {
  response.set('cache-control', 'no-store');
  next();
};

/** Times each request under the pattern of its route, so that ids never become labels. */
function measure(histogram: AppOptions['metrics']['requests']): RequestHandler {
  return (request, response, next) => {
    const stop = histogram.startTimer({ method: request.method });
    response.on('finish', () => {
      const { route, originalUrl } = request as { route?: { path?: unknown }; originalUrl: string };
      const base = originalUrl.startsWith(`${API}/`) ? API : '';
      const pattern = typeof route?.path === 'string' ? base + route.path : 'other';
      stop({ route: pattern, status: response.statusCode });
    });
    next();
  };
}
