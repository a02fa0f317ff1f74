import { messageOf, type ServerInfo, type TopicNames } from '@loopwatch/contract';
import type { Status } from '@loopwatch/contract/api';
import type { Database } from '@loopwatch/storage';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { createApp } from './app.ts';
import { BacktestJobs } from './backtests/backtest-jobs.ts';
import { SharedBudgets } from './budgets/shared-budgets.ts';
import { LogWriteHealth } from './events/log-write-health.ts';
import { Feeds } from './feed/feeds.ts';
import type { ServerLog } from './feed/server-log.ts';
import { Guard } from './guard/guard.ts';
import { GuardSettings } from './guard/guard-settings.ts';
import { VerdictStreams } from './guard/verdict-streams.ts';
import type { Readiness } from './health.ts';
import { type HttpListener, openListener } from './http/listener.ts';
import { LiveHub } from './live/live-hub.ts';
import { createServerMetrics, watchServerState } from './metrics.ts';
import type { NotificationChannel } from './notifications/channel.ts';
import { Notifications } from './notifications/notifications.ts';
import { Retention, type RetentionLimits } from './retention/retention.ts';
import { type SamplePlayback, SampleSessions } from './samples/sample-sessions.ts';
import { Access, type AccessTokens, bearerOf } from './security/access.ts';
import type { Auth } from './security/auth.ts';
import { Hosts, isLoopback, type WebOptions } from './security/hosts.ts';
import { Oidc, type OidcOptions } from './security/oidc.ts';
import { RevokedLogins } from './security/revoked-logins.ts';
import { TokenVerifier } from './security/token-verifier.ts';
import { detectorsOn } from './settings/detectors-on.ts';
import type { ConfiguredSettings } from './settings/effective-settings.ts';
import { parseScope } from './settings/scope.ts';
import { scopeSettings } from './settings/settings-api.ts';
import { SharedStats } from './stats/shared-stats.ts';
import { measuredDatabase } from './storage/measured-database.ts';
import { TriagePublisher } from './triage/triage-publisher.ts';

/** How long requests may take to end when the server stops. */
const stopGraceMs = 1_000;

export interface ServerDeps extends WebOptions {
  /** 0 takes a free one. */
  readonly port: number;
  /** Its sinks and readers are opened by `start` and closed by `stop`. */
  readonly log: ServerLog;
  /** Opened by `start`, closed by `stop`. */
  readonly openDatabase: () => Promise<Database>;
  readonly topics: TopicNames;
  readonly registry: Registry;
  readonly logger: Logger;
  readonly info: ServerInfo;
  /** File, environment and flags, which settings made here lie over. */
  readonly configured: ConfiguredSettings;
  readonly retention: RetentionLimits;
  /** Without any, and without a provider of logins, no login is needed. */
  readonly tokens?: AccessTokens;
  readonly oidc?: OidcOptions | undefined;
  readonly readiness: () => Promise<Readiness>;
  /** Where messages about incidents go; nowhere by default. */
  readonly notifications?: readonly NotificationChannel[];
  /** Other tools that the dashboard links to; none by default. */
  readonly links?: Status['links'];
  /** The built dashboard, where index.html lies. */
  readonly dashboardDir: string;
  /** Wall clock of the latest agent event, where the process knows: a worker in the same process. */
  readonly lastEventAt?: () => number | null;
  /** Plays sample sessions; nothing does by default. */
  readonly samples?: SamplePlayback;
  /** Wall clock, epoch ms; the system's by default. */
  readonly now?: () => number;
}

export interface LoopwatchServer {
  /**
   * Takes the port, and answers `/healthz` there; `start` does so itself if need be. A port that is taken is found
   * before a database is made.
   */
  listen(): Promise<{ url: string }>;
  /** Listens and starts reading; rejects, with everything closed again, when either cannot be done. */
  start(): Promise<{ url: string }>;
  stop(): Promise<void>;
}

/** Dashboard, API and live link, over a database that follows the topics. */
export function createServer(deps: ServerDeps): LoopwatchServer {
  /** What is to be stopped, the last first. */
  const running: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of running.splice(0).reverse()) await end();
  };
  let door: Promise<HttpListener> | undefined;
  const listen = () =>
    (door ??= openListener(deps).then((opened) => {
      running.unshift(() => opened.close());
      return opened;
    }));
  return {
    listen,
    async start() {
      try {
        const opened = await listen();
        await start(deps, running, opened);
        return { url: opened.url };
      } catch (error) {
        await stop();
        throw error;
      }
    },
    stop,
  };
}

/** @param door what serves until the database is there */
async function start(deps: ServerDeps, running: (() => Promise<void>)[], door: HttpListener): Promise<void> {
  const { logger, now = Date.now, log, topics, registry, info } = deps;
  const metrics = createServerMetrics(registry);
  const database = measuredDatabase(await deps.openDatabase(), metrics);
  running.push(() => database.close());
  const sink = log.sink();
  running.push(() => sink.close());
  const records = log.records();
  running.push(() => records.close());
  const notifications = new Notifications({
    database,
    channels: deps.notifications ?? [],
    base: (deps.publicUrl ?? door.url).replace(/\/$/, ''),
    logger,
    metrics,
    now,
  });
  running.push(() => notifications.stop());
  const { configured } = deps;
  const { enqueue } = notifications;
  const settings = new GuardSettings(database, configured.settings, now);
  const base = configured.settings;
  const budgets = new SharedBudgets({ database, settings, base, sink, topics, logger, now });
  running.push(() => budgets.stop());
  const intake = new LogWriteHealth(logger, now);
  const guard = new Guard({
    database,
    settings,
    sink,
    intake,
    topic: topics.events,
    logger,
    now,
  });
  const feeds = new Feeds({
    log,
    configured,
    topics,
    database,
    metrics,
    logger,
    enqueue,
    budgets,
    onStored: (sessionIds) => {
      guard.incidentsChanged(sessionIds);
    },
  });
  const stats = new SharedStats(database, now);
  const triage = new TriagePublisher({ database, sink, topic: topics.triage, logger });
  running.push(() => triage.stop());
  let lastPostedAt: number | null = null;
  const hub: { live?: LiveHub } = {};
  const jobs = new BacktestJobs(now, logger, (job) => {
    hub.live?.broadcastBacktest(job);
    if (job.finishedAt !== null) metrics.backtests.inc({ status: job.status });
  });
  running.push(() => jobs.stop());
  const ended = new RevokedLogins(database, now, () => hub.live?.disconnectUnauthorized());
  await ended.start();
  running.push(() => ended.stop());
  const access = new Access(deps.tokens ?? {}, now, deps.oidc?.clientSecret, (id) => ended.has(id));
  const checks = new TokenVerifier(access, logger, metrics.refusedTokens);
  running.push(() => {
    checks.stop();
    return Promise.resolve();
  });
  const hosts = new Hosts(deps);
  const oidc = deps.oidc && new Oidc(deps.oidc);
  const doors: Auth = { access, hosts, checks, ended, oidc, logger };
  const retention = new Retention({ database, limits: deps.retention, metrics, logger, now });
  running.push(() => retention.stop());

  const samples = new SampleSessions({
    database,
    logger,
    now,
    playback: deps.samples,
    onRemoved: () => hub.live?.broadcastSnapshot(),
  });

  watchServerState(registry, {
    load: () => database.load(),
    topics: () => feeds.status,
    backtests: () => jobs.counts,
    lastRetentionAt: () => retention.lastRunAt,
    // Metrics of the rest are still of use without the database.
    notifications: () => notifications.status().catch(() => []),
  });

  const verdictStreams = new VerdictStreams({
    database,
    guard,
    logger,
    isStillAuthorized: ({ headers }) => access.user(headers) !== undefined,
    now,
  });
  await verdictStreams.start();
  const readiness = async (): Promise<Readiness> => ({
    ...(await deps.readiness()),
    database: await databaseReadiness(database),
    verdicts: feedReadiness(feeds),
    events: intakeReadiness(intake),
  });
  const app = createApp({
    database,
    metrics,
    logger,
    now,
    sink,
    intake,
    guard,
    verdictStreams,
    info,
    registry,
    readiness,
    samples,
    dashboardDir: deps.dashboardDir,
    topic: topics.events,
    topics,
    configured: deps.configured,
    records,
    startedAt: now(),
    doors,
    exposed: !access.required && !isLoopback(deps.host),
    limits: deps.retention,
    logStatus: () => ({ kind: log.kind, ...feeds.connection, topics: feeds.status }),
    detectors: async () =>
      detectorsOn(
        (await scopeSettings({ database, configured: deps.configured }, parseScope('server'))).effective,
      ),
    liveStatus: () => ({
      clients: hub.live?.clients ?? 0,
      sequence: hub.live?.sequence ?? 0,
      dropped: hub.live?.dropped ?? 0,
    }),
    backtestStatus: () => jobs.counts,
    links: deps.links ?? { grafana: null, kafka: null },
    jobs,
    notifications,
    lag: () => feeds.lag,
    current: () => stats.get(),
    onAccepted: (at) => {
      lastPostedAt = at;
    },
    onTriage: () => {
      triage.wake();
      guard.triageChanged();
    },
  });
  const live = new LiveHub(door.http, {
    database,
    info,
    metrics,
    logger,
    now,
    stats,
    isAuthorized: async (request) => {
      if (!hosts.isSameOrigin(request) || !hosts.isKnownHost(request)) return false;
      const bearer = access.required ? bearerOf(request.headers.authorization) : undefined;
      if (bearer === undefined) return access.user(request.headers) !== undefined;
      return (await checks.check(bearer, hosts.addressOf(request))) !== undefined;
    },
    isStillAuthorized: ({ headers }) => access.user(headers) !== undefined,
    heartbeat: () => ({
      lag: feeds.lag,
      lastEventAt: latest(deps.lastEventAt?.() ?? null, lastPostedAt),
      lastVerdictAt: feeds.lastVerdictAt,
      log: feeds.connection.state,
      reason: feeds.connection.reason ?? feeds.trouble,
    }),
  });
  hub.live = live;
  running.push(async () => {
    // It waits for requests; a body may go on for long.
    const cut = setTimeout(() => door.http.closeAllConnections(), stopGraceMs);
    await live.stop();
    clearTimeout(cut);
    door.http.closeAllConnections();
  });
  running.push(() => verdictStreams.stop());
  await live.start();
  door.serve(app);
  running.push(() => feeds.stop());
  await notifications.start();
  await budgets.start();
  // With brokers that are away both wait; what is stored is served meanwhile.
  await Promise.all([sink.open(), feeds.run()]);
  triage.wake();
  retention.start();
  running.push(() => samples.stop());
  await samples.start();
  logger.debug({ url: door.url, database: database.kind }, 'server listening');
}

async function databaseReadiness(database: Database): Promise<Readiness[string]> {
  try {
    await database.query('select 1');
    return { ok: true, detail: database.kind };
  } catch (error) {
    return { ok: false, detail: messageOf(error) };
  }
}

function feedReadiness(feeds: Feeds): Readiness[string] {
  const { state, reason } = feeds.connection;
  if (state === 'down') return { ok: false, detail: reason ?? 'the link to the log is down' };
  if (feeds.trouble !== null) return { ok: false, detail: feeds.trouble };
  return feeds.lag ? { ok: true, detail: `${String(feeds.lag)} records to read` } : { ok: true };
}

function intakeReadiness({ trouble }: LogWriteHealth): Readiness[string] {
  return trouble === undefined ? { ok: true } : { ok: false, detail: trouble };
}

function latest(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.max(a, b);
}
