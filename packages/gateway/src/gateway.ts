import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { detectionSettings, type Settings, type TopicNames } from '@loopwatch/contract';
import { detectionOf } from '@loopwatch/detectors';
import type { TopicReader, VerdictSink } from '@loopwatch/log';
import { WideSettings } from '@loopwatch/pipeline';
import type { Database } from '@loopwatch/storage';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { apiOf, mayAskModel } from './api/apis.ts';
import { ControlFeed } from './control-feed.ts';
import { answerHealth } from './health.ts';
import { type ApiKind, apiError } from './http/api-error.ts';
import { ClientResponse } from './http/client-response.ts';
import { requestHeaders } from './http/headers.ts';
import { scanForQuestion } from './http/key-scan.ts';
import { requestPath } from './http/request-path.ts';
import { type Target, targetOf } from './http/target.ts';
import { Upstream } from './http/upstream.ts';
import { createGatewayMetrics, type GatewayMetrics, type Outcome } from './metrics.ts';
import { ModelRequests } from './model-requests.ts';
import { Outbox } from './outbox.ts';
import { passOn } from './pass-on.ts';
import { Conversations, type CreateSession } from './session/conversations.ts';
import { GatewaySession } from './session/gateway-session.ts';
import { SessionSettings } from './session/session-settings.ts';
import { SessionStore } from './session/session-store.ts';
import { SessionWatch } from './session-watch.ts';
import { GatewayStorage } from './storage/gateway-storage.ts';
import { UnjudgedRequests } from './unjudged.ts';

/** What goes on at the end gets this much longer, in milliseconds. */
const CLOSING_MS = 5_000;

const dotSegments =
  'The path has a segment "." or "..", which could lead out of the upstream\'s path. Send the path that is meant.';

export interface GatewayDeps {
  /** The whole configuration; `gateway.upstream` names the upstream, `preset` is what is detected by. */
  readonly settings: Settings & { readonly gateway: { readonly upstream?: string | undefined } };
  readonly topics: TopicNames;
  /** Where events and verdicts go; opened when there is something to write, closed by `stop`. None: nowhere. */
  readonly sink?: VerdictSink | undefined;
  /** The `control` topic, where settings of the dashboard are; a new reader each time. None: there are none. */
  readonly control?: (() => TopicReader) | undefined;
  /** The database that sessions and messages are stored in; closed by `stop`. None: a restart forgets them. */
  readonly openDatabase?: (() => Promise<Database>) | undefined;
  readonly registry: Registry;
  readonly logger: Logger;
  /** Wall clock, epoch ms; the system's by default. */
  readonly now?: () => number;
}

/** The proxy that stops loops: a server before an upstream that speaks OpenAI's or Anthropic's API. */
export class Gateway {
  private readonly deps: GatewayDeps;
  private readonly http: Server;
  private readonly upstream: Upstream;
  private readonly target: Target;
  private readonly metrics: GatewayMetrics;
  private readonly unjudged: UnjudgedRequests;
  private readonly outbox: Outbox | undefined;
  private readonly requests: ModelRequests;
  private readonly storage: GatewayStorage | undefined;
  private readonly control: ControlFeed | undefined;

  /** @throws Error when no upstream is configured */
  constructor(deps: GatewayDeps) {
    this.deps = deps;
    const { settings, registry, logger, topics, now = Date.now } = deps;
    const { gateway } = settings;
    if (gateway.upstream === undefined) throw new Error('gateway.upstream is not set');
    this.target = targetOf(gateway.upstream);
    this.upstream = new Upstream(this.target.origin, {
      connectMs: gateway.connect_timeout_seconds * 1000,
      responseMs: gateway.response_timeout_seconds * 1000,
      stallMs: gateway.stall_timeout_seconds * 1000,
    });
    this.outbox = this.createOutbox();
    this.metrics = createGatewayMetrics(registry, {
      activeSessions: () => sessions.size,
      bufferedRecords: () => this.outbox?.size ?? 0,
      waitingRows: () => this.storage?.waiting ?? 0,
    });
    const { metrics, outbox } = this;
    this.unjudged = new UnjudgedRequests(metrics, logger);
    const me = randomBytes(6).toString('hex');
    const ownSettings = new SessionSettings(2 * gateway.max_sessions);
    const watch = new SessionWatch({
      metrics,
      logger,
      outbox,
      topics,
      now,
      me,
      onSettings: (id, set) => {
        ownSettings.note(id, set);
      },
    });
    const wide = new WideSettings({
      configured: detectionSettings(settings),
      prepare: (detection) => detectionOf(detection),
      log: (level, message, fields) => {
        logger[level](fields, message);
      },
      onSession: (id, set) => {
        ownSettings.note(id, set);
      },
    });
    this.control = deps.control && new ControlFeed({ reader: deps.control, settings: wide, me, logger });
    let made = 0;
    const create: CreateSession = (id, { version = wide.current, name } = {}) => {
      made += 1;
      const origin = `${me}-${made.toString(36)}`;
      return new GatewaySession(id, version, watch, {
        origin,
        stores: deps.openDatabase !== undefined,
        name,
      });
    };
    const sessions = new SessionStore(gateway.max_sessions, (reason) => {
      metrics.evictedSessions.inc({ reason });
    });
    this.storage =
      deps.openDatabase &&
      new GatewayStorage({
        open: deps.openDatabase,
        me,
        settings,
        metrics,
        logger,
        now,
        versionOf: (detection) => wide.versionOf(detection),
        held: (id) => sessions.peek(id, now()),
        drop: (session) => {
          sessions.drop(session);
        },
      });
    this.requests = new ModelRequests({
      upstream: this.upstream,
      target: this.target,
      metrics,
      logger,
      settings: wide,
      ownSettings,
      sessions,
      conversations: new Conversations({
        sessions,
        create,
        settings: wide,
        ownSettings,
        storage: this.storage,
        logger,
        now,
      }),
      storage: this.storage,
      unjudged: this.unjudged,
      backend: gateway.backend,
      onBlock: gateway.on_block,
      guidanceAs: gateway.guidance_as,
      enforceStreams: gateway.enforce_streams,
      commands: gateway.commands,
      maxHeldBytes: gateway.max_held_bytes,
      maxRequestBytes: gateway.max_request_bytes,
      now,
      noteAnswer: (answerId, sessionId, own) => {
        sessions.noteAnswer(answerId, sessionId, own);
        this.storage?.noteAnswer(answerId, sessionId, own);
      },
    });
    this.http = createServer((incoming, response) => {
      void this.handle(incoming, response);
    });
  }

  /**
   * Listens, and serves before the database and the settings made elsewhere are there.
   *
   * @returns where, without `/v1`, once both are known or cannot be had for the moment; rejects when the port cannot be had
   */
  async start(): Promise<{ readonly url: string; readonly port: number }> {
    const { host, port } = this.deps.settings.gateway;
    await new Promise<void>((resolve, reject) => {
      this.http.once('error', reject);
      this.http.listen(port, host, () => {
        this.http.off('error', reject);
        resolve();
      });
    });
    await Promise.all([this.storage?.start(), this.control?.start()]);
    const { port: taken } = this.http.address() as AddressInfo;
    const name = ['0.0.0.0', '::', '127.0.0.1', '::1'].includes(host) ? 'localhost' : host;
    return { url: `http://${name}:${String(taken)}`, port: taken };
  }

  /** Takes no more requests, lets those under way finish for a moment, and writes what waits for the event log. */
  async stop(): Promise<void> {
    await new Promise<void>((resolve) => {
      const late = setTimeout(() => {
        this.http.closeAllConnections();
      }, CLOSING_MS);
      this.http.close(() => {
        clearTimeout(late);
        resolve();
      });
      this.http.closeIdleConnections();
    });
    await this.upstream.close();
    await this.control?.stop();
    await this.storage?.stop();
    await this.outbox?.close(CLOSING_MS);
  }

  private createOutbox(): Outbox | undefined {
    const { sink, settings, logger } = this.deps;
    if (sink === undefined || !settings.gateway.publish_events) return undefined;
    return new Outbox({
      sink,
      limit: settings.gateway.max_buffered_records,
      log: (level, message, fields) => {
        logger[level](fields, message);
      },
      onPublished: (records) => {
        this.metrics.published.inc(records);
      },
      onDropped: (records) => {
        this.metrics.dropped.inc(records);
      },
    });
  }

  private async handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = requestPath(incoming.url ?? '/');
    const client = new ClientResponse(response);
    if (path === undefined) {
      client.json(400, apiError('other', 400, 'bad_path', dotSegments));
      this.note('other', 'refused');
      return;
    }
    const api = apiOf(incoming.method ?? '', path);
    const kind: ApiKind = api?.kind ?? 'other';
    try {
      if (api === undefined) {
        if (await answerHealth(path, response, () => this.health(), this.deps.registry)) return;
        this.note(kind, await this.pass(incoming, path, client));
      } else this.note(kind, await this.requests.handle(api, incoming, path, client));
    } catch (error) {
      this.deps.logger.error(
        { err: error },
        'A request failed within the gateway. This is a bug: please report it.',
      );
      if (client.started) client.cut();
      else client.json(500, apiError(kind, 500, 'gateway_failed', 'The gateway failed at this request.'));
    }
  }

  /** What the gateway does not understand goes on as it comes. */
  private pass(incoming: IncomingMessage, path: string, client: ClientResponse): Promise<Outcome> {
    const { headers, method = 'GET', rawHeaders } = incoming;
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    const request = {
      method,
      path: this.target.path(path),
      headers: requestHeaders(rawHeaders),
      body: hasBody ? this.scanned(incoming, path) : null,
    };
    const kind = headers['anthropic-version'] === undefined ? 'other' : 'messages';
    const { upstream, metrics } = this;
    return passOn({ upstream, metrics, logger: this.deps.logger }, request, client, kind);
  }

  /** The body as it comes; where it asks a model something, that is said. */
  private scanned(incoming: IncomingMessage, path: string): Readable {
    const type = (incoming.headers['content-type'] ?? 'json').toLowerCase();
    if (!type.includes('json') || !mayAskModel(incoming.method ?? '', path)) return incoming;
    const scan = scanForQuestion(() => {
      this.unjudged.note(path, 'path');
    });
    incoming.once('close', () => {
      if (!incoming.complete) scan.destroy();
    });
    return incoming.pipe(scan);
  }

  private note(api: ApiKind, outcome: Outcome): void {
    this.metrics.requests.inc({ api, outcome });
  }

  private health() {
    const log = this.outbox?.health ?? { ok: true, detail: 'not stored: nothing is written to an event log' };
    return {
      log,
      database: this.storage?.health ?? { ok: true, detail: 'not stored: sessions are in memory alone' },
      settings: this.control?.health ?? { ok: true, detail: 'those of the configuration' },
      upstream: this.target.origin,
    };
  }
}
