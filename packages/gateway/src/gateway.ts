import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { detectionSettings, type Settings, type TopicNames } from '@loopwatch/contract';
import { detectionOf, LiveSettings } from '@loopwatch/detectors/internal';
import type { RecordSink, TopicReader } from '@loopwatch/log';
import { closeGently, OpenRequests } from '@loopwatch/platform';
import type { Database } from '@loopwatch/storage';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { ControlFeed } from './event-log/control-feed.ts';
import { Outbox } from './event-log/outbox.ts';
import { SessionReporter } from './event-log/session-reporter.ts';
import type { GatewayHealth } from './health.ts';
import { proxyFor } from './http/forward-proxy.ts';
import { MAX_HEAD_BYTES } from './http/headers.ts';
import { type Target, targetOf } from './http/request-path.ts';
import { Upstream } from './http/upstream.ts';
import { createGatewayMetrics, type GatewayMetrics, registerGatewayGauges } from './metrics.ts';
import { BackgroundReplies } from './proxy/background-replies.ts';
import { ModelRequestHandler } from './proxy/model-request-handler.ts';
import { RequestRouter } from './proxy/request-router.ts';
import { type CreateSession, SessionLookup } from './proxy/session-lookup.ts';
import { UnjudgedRequests } from './proxy/unjudged-requests.ts';
import { CallItems } from './session/call-items.ts';
import type { ErasedSession } from './session/erased-session.ts';
import { GatewaySession } from './session/gateway-session.ts';
import { SessionSettings } from './session/session-settings.ts';
import { SessionStore, type SyntheticExchange } from './session/session-store.ts';
import { GatewayStorage } from './storage/gateway-storage.ts';

/** How long buffered records may take to be written once the gateway stops, ms. */
const CLOSE_TIMEOUT_MS = 5_000;

export interface GatewayDeps {
  /** The whole configuration; `gateway.upstream` must be set, `preset` is the detection preset. */
  readonly settings: Settings & { readonly gateway: { readonly upstream?: string | undefined } };
  readonly topics: TopicNames;
  /** Receives events and verdicts; opened on first use, closed by `stop`. If undefined, none are published. */
  readonly sink?: RecordSink | undefined;
  /** Creates a reader of the `control` topic, with settings changed in the dashboard. */
  readonly control?: (() => TopicReader) | undefined;
  /** Opens the database for messages and replies; closed by `stop`. If undefined, a restart loses them. */
  readonly openDatabase?: (() => Promise<Database>) | undefined;
  readonly registry: Registry;
  readonly logger: Logger;
  /** Wall clock, epoch ms; the system's by default. */
  readonly now?: () => number;
}

/** A proxy that stops loops: an HTTP server in front of an upstream with OpenAI's or Anthropic's API. */
export class Gateway {
  readonly #deps: GatewayDeps;
  readonly #now: () => number;
  /** Identifies this gateway among those that share a log. */
  readonly #id = randomBytes(6).toString('hex');
  readonly #metrics: GatewayMetrics;
  readonly #target: Target;
  readonly #open: OpenRequests;
  readonly #upstream: Upstream;
  readonly #outbox: Outbox | undefined;
  /** Server and model settings. */
  readonly #settings: LiveSettings;
  /** Settings of single sessions. */
  readonly #sessionSettings: SessionSettings;
  readonly #control: ControlFeed | undefined;
  readonly #sessions: SessionStore;
  readonly #callItems = new CallItems();
  readonly #storage: GatewayStorage | undefined;
  readonly #http: Server;

  /** @throws Error when no upstream is configured */
  constructor(deps: GatewayDeps) {
    const { settings, registry, logger, now = Date.now } = deps;
    const { gateway } = settings;
    if (gateway.upstream === undefined) throw new Error('gateway.upstream is not set');
    this.#deps = deps;
    this.#now = now;
    this.#metrics = createGatewayMetrics(registry);
    this.#target = targetOf(gateway.upstream);
    const timeouts = {
      connectMs: gateway.connect_timeout_seconds * 1000,
      responseMs: gateway.response_timeout_seconds * 1000,
      stallMs: gateway.stall_timeout_seconds * 1000,
    };
    const proxy = proxyFor(new URL(this.#target.origin), process.env);
    if (proxy !== undefined)
      logger.info({ proxy: proxy.host }, `Requests go to the upstream through the proxy ${proxy.host}`);
    this.#upstream = new Upstream(this.#target.origin, timeouts, proxy);
    this.#outbox = this.#createOutbox();
    this.#sessionSettings = new SessionSettings(2 * gateway.max_sessions);
    this.#settings = this.#createSettings();
    this.#control =
      deps.control &&
      new ControlFeed({
        reader: deps.control,
        settings: this.#settings,
        gatewayId: this.#id,
        onErased: (erased) => {
          this.#erase(erased);
        },
        logger,
      });
    this.#sessions = new SessionStore(gateway.max_sessions, (reason) => {
      this.#metrics.evictedSessions.inc({ reason });
    });
    this.#storage = this.#createStorage();
    const router = this.#createRouter();
    // The upstream decides how long an upload may take.
    const limits = { maxHeaderSize: MAX_HEAD_BYTES, requestTimeout: 0 };
    this.#http = createServer(limits, (incoming, response) => {
      void router.handle(incoming, response);
    });
    closeGently(this.#http);
    this.#open = new OpenRequests(this.#http);
    registerGatewayGauges(registry, {
      activeSessions: () => this.#sessions.size,
      bufferedRecords: () => this.#outbox?.size ?? 0,
      waitingRows: () => this.#storage?.waiting ?? 0,
    });
  }

  /**
   * Listens, and serves requests before database and control topic are available.
   *
   * @returns the address without `/v1`, once both are available or failed for now; rejects when the port is in use
   */
  async start(): Promise<{ readonly url: string; readonly port: number }> {
    const { host, port } = this.#deps.settings.gateway;
    await new Promise<void>((resolve, reject) => {
      this.#http.once('error', reject);
      this.#http.listen(port, host, () => {
        this.#http.off('error', reject);
        resolve();
      });
    });
    await Promise.all([this.#storage?.start(), this.#control?.start()]);
    const { port: boundPort } = this.#http.address() as AddressInfo;
    const name = ['0.0.0.0', '::', '127.0.0.1', '::1'].includes(host) ? 'localhost' : host;
    return { url: `http://${name}:${String(boundPort)}`, port: boundPort };
  }

  /** Accepts no more requests, gives open ones time to finish, and writes what is buffered. */
  async stop(): Promise<void> {
    await this.#drain();
    await this.#upstream.close();
    await this.#control?.stop();
    await this.#storage?.stop();
    await this.#outbox?.close(CLOSE_TIMEOUT_MS);
  }

  async #drain(): Promise<void> {
    const { logger, settings } = this.#deps;
    const seconds = settings.gateway.drain_seconds;
    const { count } = this.#open;
    const limit = `${String(seconds)} s (gateway.drain_seconds)`;
    if (count > 0) logger.info({ open: count }, `Waiting for ${requests(count)} to finish, at most ${limit}`);
    const late = await this.#open.drain(seconds * 1_000);
    if (late > 0) logger.warn({ late }, `Cut off ${requests(late)} that did not finish within ${limit}`);
  }

  /** Forgets sessions that were erased; a request that continues one begins a new session. */
  #erase(erased: readonly ErasedSession[]): void {
    for (const { id } of erased) {
      this.#sessions.drop(id);
      this.#sessions.dropReplies(id);
      this.#callItems.drop(id);
    }
    this.#storage?.erase(erased).catch((err: unknown) => {
      this.#deps.logger.error(
        { err, sessions: erased.length },
        'Erased sessions could not be deleted; erase them again',
      );
    });
  }

  #createOutbox(): Outbox | undefined {
    const { sink, settings, logger } = this.#deps;
    if (sink === undefined || !settings.gateway.publish_events) return undefined;
    return new Outbox({
      sink,
      limit: settings.gateway.max_buffered_records,
      log: (level, message, fields) => {
        logger[level](fields, message);
      },
      onPublished: (records) => {
        this.#metrics.published.inc(records);
      },
      onDropped: (records) => {
        this.#metrics.dropped.inc(records);
      },
    });
  }

  #createSettings(): LiveSettings {
    const { settings, logger } = this.#deps;
    return new LiveSettings({
      configured: detectionSettings(settings),
      prepare: (detection) => detectionOf(detection),
      log: (level, message, fields) => {
        logger[level](fields, message);
      },
      onSession: (id, set) => {
        this.#sessionSettings.set(id, set);
      },
    });
  }

  #createStorage(): GatewayStorage | undefined {
    const { openDatabase, settings, logger } = this.#deps;
    if (openDatabase === undefined) return undefined;
    return new GatewayStorage({
      open: openDatabase,
      settings,
      metrics: this.#metrics,
      logger,
      now: this.#now,
    });
  }

  #createRouter(): RequestRouter {
    const { settings, registry, logger } = this.#deps;
    const { gateway } = settings;
    const unjudged = new UnjudgedRequests(this.#metrics, logger);
    const proxy = {
      upstream: this.#upstream,
      target: this.#target,
      metrics: this.#metrics,
      logger,
      unjudged,
    };
    const shared = {
      sessions: this.#sessions,
      settings: this.#settings,
      sessionSettings: this.#sessionSettings,
      storage: this.#storage,
      logger,
      now: this.#now,
    };
    const replies = {
      background: new BackgroundReplies(),
      callItems: this.#callItems,
      maxHeldBytes: gateway.max_held_bytes,
      onReplyId: (replyId: string, sessionId: string, synthetic?: SyntheticExchange) => {
        this.#sessions.noteReply(replyId, sessionId, synthetic);
        this.#storage?.addReply(replyId, sessionId, synthetic);
      },
    };
    const models = new ModelRequestHandler({
      ...proxy,
      ...shared,
      ...replies,
      lookup: new SessionLookup({ ...shared, create: this.#sessionFactory() }),
      backend: gateway.backend,
      onBlock: gateway.on_block,
      guidanceAs: gateway.guidance_as,
      enforceStreams: gateway.enforce_streams,
      commands: gateway.commands,
      maxRequestBytes: gateway.max_request_bytes,
    });
    return new RequestRouter({
      ...proxy,
      ...shared,
      ...replies,
      models,
      registry,
      health: () => this.#health(),
    });
  }

  #sessionFactory(): CreateSession {
    const { logger, topics } = this.#deps;
    const reporter = new SessionReporter({
      metrics: this.#metrics,
      logger,
      outbox: this.#outbox,
      topics,
      now: this.#now,
      gatewayId: this.#id,
      onSettings: (id, set) => {
        this.#sessionSettings.set(id, set);
      },
    });
    const storesMessages = this.#storage !== undefined;
    let created = 0;
    return (id, name, onCall) => {
      created += 1;
      const origin = `${this.#id}-${created.toString(36)}`;
      return new GatewaySession(id, this.#settings.current, reporter, {
        origin,
        storesMessages,
        name,
        onCall,
      });
    };
  }

  #health(): GatewayHealth {
    return {
      log: this.#outbox?.health ?? {
        ok: true,
        detail: 'not stored: no events are published to an event log',
      },
      database: this.#storage?.health ?? { ok: true, detail: 'not stored: messages are only in memory' },
      settings: this.#control?.health ?? { ok: true, detail: 'from the configuration only' },
      upstream: this.#target.origin,
    };
  }
}

function requests(count: number): string {
  return count === 1 ? '1 request' : `${String(count)} requests`;
}
