import { type ServerInfo, type TopicNames } from '@loopwatch/contract';
import type { Status } from '@loopwatch/contract/api';
import { Copies } from '@loopwatch/formats';
import { within } from '@loopwatch/platform';
import type { Database } from '@loopwatch/storage';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { AuditLog } from './audit/audit-log.ts';
import { BacktestJobs } from './backtests/backtest-jobs.ts';
import { SharedBudgets } from './budgets/shared-budgets.ts';
import { SubAgentLimits } from './budgets/sub-agent-limits.ts';
import { SessionErasure } from './erasure/erasure.ts';
import { EventIngest } from './events/event-ingest.ts';
import { limits } from './events/limits.ts';
import { LogWriteHealth } from './events/log-write-health.ts';
import { Feeds, type ServerLog } from './feed/feeds.ts';
import { Guard } from './guard/guard.ts';
import { GuardSettings } from './guard/guard-settings.ts';
import { VerdictStreams } from './guard/verdict-streams.ts';
import { databaseCheck, type Readiness } from './health.ts';
import type { HttpListener } from './http/listener.ts';
import { LiveHub } from './live/live-hub.ts';
import { createServerMetrics, timeQueries, watchServerState } from './metrics/metrics.ts';
import type { NotificationChannel } from './notifications/channel.ts';
import { Notifications } from './notifications/notifications.ts';
import { Retention, type RetentionLimits } from './retention/retention.ts';
import { type SamplePlayback, SampleSessions } from './samples/sample-sessions.ts';
import type { AccessTokens } from './security/access.ts';
import { Auth } from './security/auth.ts';
import type { WebOptions } from './security/hosts.ts';
import type { OidcOptions } from './security/oidc.ts';
import { recordedEvents } from './sessions/recorded-events.ts';
import type { ConfiguredSettings } from './settings/effective-settings.ts';
import { createSharedStats } from './stats/current-stats.ts';
import { TriagePublisher } from './triage/triage-publisher.ts';

/** How long the metrics wait for the database: a scrape that takes longer is lost. */
const METRICS_MS = 2_000;

export interface ServerDeps extends WebOptions {
  /** 0: a free port. */
  readonly port: number;
  /** Of OTLP over gRPC; default: it is off. */
  readonly otlpGrpcPort?: number | undefined;
  /** Its sinks and readers are opened by `start` and closed by `stop`. */
  readonly log: ServerLog;
  /** Opened by `start`, closed by `stop`. */
  readonly openDatabase: () => Promise<Database>;
  readonly topics: TopicNames;
  readonly registry: Registry;
  readonly logger: Logger;
  readonly info: ServerInfo;
  /** File, environment and flags; settings made in the dashboard override them. */
  readonly configured: ConfiguredSettings;
  readonly retention: RetentionLimits;
  /** Without tokens and without an identity provider, no login is needed. */
  readonly tokens?: AccessTokens;
  readonly oidc?: OidcOptions | undefined;
  readonly readiness: () => Promise<Readiness>;
  /** Receivers of messages about incidents; default: none. */
  readonly notifications?: readonly NotificationChannel[];
  /** Other tools that the dashboard links to; default: none. */
  readonly links?: Status['links'];
  /** The built dashboard: the folder of index.html. */
  readonly dashboardDir: string;
  /** Wall clock of the latest agent event, when a worker runs in the same process. */
  readonly lastEventAt?: () => number | null;
  /** While the worker in the same process is behind: the timestamp up to which it has read, epoch ms; else null. */
  readonly analyzedTo?: () => number | null;
  /** Plays sample sessions; default: none. */
  readonly samples?: SamplePlayback;
  /** Wall clock, epoch ms; default: the system's. */
  readonly now?: () => number;
  /** For how long something takes, ms; default: the system's monotonic clock. */
  readonly monotonic?: () => number;
}

/** Everything that runs behind the HTTP API. */
export type Services = ReturnType<typeof createServices>;

/** Creates the parts of the server and connects them; nothing is started. */
export function createServices(deps: ServerDeps, opened: Database, listener: HttpListener) {
  const { log, topics, configured, logger, info, registry } = deps;
  const { now = Date.now, monotonic = performance.now.bind(performance) } = deps;
  const metrics = createServerMetrics(registry);
  const database = timeQueries(opened, metrics);
  const sink = log.sink();
  const records = log.records();
  const common = { database, logger, now, monotonic };
  const checkDatabase = databaseCheck(database);

  const auth = new Auth({ ...deps, ...common, refusedTokens: metrics.refusedTokens });
  const notifications = new Notifications({
    ...common,
    metrics,
    channels: deps.notifications ?? [],
    baseUrl: (deps.publicUrl ?? listener.url).replace(/\/$/, ''),
  });
  const settings = new GuardSettings(database, configured.settings, monotonic);
  const limiting = { ...common, settings, base: configured.settings, sink, topics };
  const budgets = new SharedBudgets(limiting);
  const subAgents = new SubAgentLimits(limiting);
  const logWriteHealth = new LogWriteHealth(logger, monotonic);
  const guard = new Guard({
    ...common,
    settings,
    sink,
    logWriteHealth,
    topic: topics.events,
    recordedEvents: (sessionId, since) => recordedEvents(database, records, sessionId, since),
  });
  const copies = new Copies(limits.copiedIds);
  const ingest = new EventIngest({
    sink,
    copies,
    topic: topics.events,
    metrics,
    logWriteHealth,
    now,
    onEvent: (sessionId, event) => {
      guard.follow(sessionId, event);
    },
  });
  const audit = new AuditLog({ database, hosts: auth.hosts, now });
  const erasure = new SessionErasure({
    database,
    logger,
    audit,
    sink,
    topics,
    log,
    onErased: (sessionIds) => {
      guard.forget(sessionIds);
      copies.forget(new Set(sessionIds));
      live.broadcastSnapshot();
    },
  });
  const onSettings = (): void => {
    guard.onSettingsChanged();
  };
  const feeds = new Feeds({
    ...common,
    log,
    configured,
    topics,
    metrics,
    budgets,
    subAgents,
    sink,
    enqueue: notifications.enqueue,
    onStored: (sessionIds) => {
      guard.onIncidentsChanged(sessionIds);
    },
    onSettings,
    onMarks: (topic, sessionIds) => {
      erasure.onMarks(topic, sessionIds);
    },
  });
  const readTo = (): number | null => earliest(feeds.readTo, deps.analyzedTo?.() ?? null);
  const stats = createSharedStats(database, now);
  const triage = new TriagePublisher({ database, sink, topic: topics.triage, logger });
  const verdictStreams = new VerdictStreams({
    ...common,
    guard,
    mayStay: (request) => auth.mayStay(request),
  });
  const live = new LiveHub(listener.http, {
    ...common,
    info,
    metrics,
    stats,
    auth,
    heartbeat: () => ({
      lag: feeds.lag,
      readTo: readTo(),
      lastEventAt: latest(deps.lastEventAt?.() ?? null, ingest.lastAcceptedAt),
      lastVerdictAt: feeds.lastVerdictAt,
      log: feeds.connection.state,
      reason: feeds.connection.reason ?? feeds.error,
    }),
  });
  auth.onRevoked(() => {
    live.disconnectUnauthorized();
    verdictStreams.endUnauthorized();
  });
  const jobs = new BacktestJobs(now, logger, (job) => {
    live.broadcastBacktest(job);
    if (job.finishedAt !== null) metrics.backtests.inc({ status: job.status });
  });
  const samples = new SampleSessions({
    ...common,
    playback: deps.samples,
    onRemoved: () => {
      live.broadcastSnapshot();
    },
  });
  const retention = new Retention({ ...common, limits: deps.retention, metrics });

  watchServerState(registry, {
    load: () => database.load(),
    topics: () => feeds.status,
    backtests: () => jobs.counts,
    lastRetentionAt: () => retention.lastRunAt,
    // The other metrics are useful even without the database, or if it hangs.
    notifications: () =>
      within(notifications.status(), METRICS_MS, () => new Error('no answer')).catch(() => []),
  });

  return {
    ...common,
    metrics,
    sink,
    records,
    masks: async () => (await settings.get()).detection.plan.privacy.mask,
    prices: async () => (await settings.get()).detection.plan.prices,
    auth,
    audit,
    erasure,
    notifications,
    budgets,
    subAgents,
    guardSettings: settings,
    guard,
    ingest,
    copies,
    feeds,
    readTo,
    stats,
    triage,
    verdictStreams,
    live,
    jobs,
    samples,
    retention,
    readiness: async (): Promise<Readiness> => ({
      ...(await deps.readiness()),
      database: await checkDatabase(),
      verdicts: feedReadiness(feeds),
      events: eventsReadiness(logWriteHealth),
    }),
    onSettings,
    onTriage: (): void => {
      triage.wake();
      guard.onTriageChanged();
    },
  };
}

function feedReadiness(feeds: Feeds): Readiness[string] {
  const { state, reason } = feeds.connection;
  if (state === 'down') return { ok: false, detail: reason ?? 'not connected to the event log' };
  if (feeds.error !== null) return { ok: false, detail: feeds.error };
  return feeds.lag ? { ok: true, detail: `records to read: ${String(feeds.lag)}` } : { ok: true };
}

function eventsReadiness({ problem }: LogWriteHealth): Readiness[string] {
  return problem === undefined ? { ok: true } : { ok: false, detail: problem };
}

function latest(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.max(a, b);
}

function earliest(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}
