import type { Server as HttpServer, IncomingMessage } from 'node:http';
import type { ServerInfo } from '@loopwatch/contract';
import type { HeartbeatMessage, LiveMessages } from '@loopwatch/contract/api';
import type { Database } from '@loopwatch/storage';
import type { Logger } from 'pino';
import { type DefaultEventsMap, type Namespace, Server, type Socket } from 'socket.io';
import { listIncidents } from '../incidents/list-incidents.ts';
import { Throttle } from '../lib/throttle.ts';
import type { ServerMetrics } from '../metrics.ts';
import { listSessions } from '../sessions/list-sessions.ts';
import type { SharedStats } from '../stats/shared-stats.ts';
import { changesChannel } from '../storage/change-lock.ts';
import { type Changes, changesSince, latestChange } from './changes.ts';

/** What a snapshot carries, and a message of changes at most; more is a page away over HTTP. */
const limits = { incidents: 200, sessions: 100 };
/** The room of those that have been greeted. */
const told = 'told';
const updateIntervalMs = 100;
const statsIntervalMs = 1_000;
const heartbeatIntervalMs = 2_000;

export interface LiveHubOptions {
  readonly database: Database;
  readonly info: ServerInfo;
  readonly metrics: ServerMetrics;
  readonly logger: Logger;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
  readonly stats: Pick<SharedStats, 'get' | 'madeAt'>;
  readonly heartbeat: () => Omit<HeartbeatMessage, 'serverTime'>;
  /** Whether a client may listen. */
  readonly isAuthorized: (request: IncomingMessage) => Promise<boolean>;
  /** Whether one that listens still may: logins end. */
  readonly isStillAuthorized: (request: IncomingMessage) => boolean;
}

type Client = Socket<DefaultEventsMap, LiveMessages>;

/**
 * The namespace `/live`: a snapshot on connect, or what a client that comes back has missed; then what changed. Changes are
 * read from the database, whichever server of several has made them.
 */
export class LiveHub {
  readonly #options: LiveHubOptions;
  readonly #io: Server;
  readonly #namespace: Namespace<DefaultEventsMap, LiveMessages>;
  readonly #pace: Throttle;
  readonly #beat: ReturnType<typeof setInterval>;
  /** Everything that is sent goes through here one after the other, so that no client misses what comes in between. */
  #sending: Promise<void> = Promise.resolve();
  #unlisten: () => Promise<void> = () => Promise.resolve();
  #sequence = 0;
  #statsAt = 0;
  /** Open incidents by the sums that were told last. */
  #open = 0;
  #dropped = 0;

  constructor(http: HttpServer, options: LiveHubOptions) {
    this.#options = options;
    this.#io = new Server(http, {
      serveClient: false,
      maxHttpBufferSize: 10_000,
      allowRequest: (request, decide) => {
        const refuse = (): void => decide('not logged in, or a page of another origin', false);
        options.isAuthorized(request).then((may) => {
          if (may) decide(null, true);
          else refuse();
        }, refuse);
      },
    });
    this.#namespace = this.#io.of('/live');
    this.#namespace.on('connection', (socket) => {
      options.metrics.liveClients.inc();
      socket.on('disconnect', () => options.metrics.liveClients.dec());
      this.#queue(() => this.#greet(socket));
    });
    this.#pace = new Throttle(updateIntervalMs, () => this.#queue(() => this.#tell()));
    this.#beat = setInterval(() => {
      this.disconnectUnauthorized();
      if (this.clients === 0) return;
      this.#namespace.emit('heartbeat', this.#heartbeat());
      // Silence changes nothing that is stored, but the sums: what was open goes quiet.
      if (this.#open > 0) this.#pace.ask();
    }, heartbeatIntervalMs);
  }

  /** Begins to listen for changes. */
  async start(): Promise<void> {
    const { database } = this.#options;
    this.#sequence = await latestChange(database);
    this.#unlisten = await database.listen(changesChannel, () => {
      if (this.clients > 0) this.#pace.ask();
    });
  }

  /** Ends the connections of clients that may not listen any more. */
  disconnectUnauthorized(): void {
    for (const socket of this.#namespace.sockets.values()) {
      if (!this.#options.isStillAuthorized(socket.request)) socket.disconnect(true);
    }
  }

  get clients(): number {
    return this.#namespace.sockets.size;
  }

  get sequence(): number {
    return this.#sequence;
  }

  /** Changes that were too many to be told one by one. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Tells every client how a backtest goes. */
  broadcastBacktest(...message: Parameters<LiveMessages['backtest']>): void {
    this.#namespace.emit('backtest', ...message);
  }

  /** Tells every client everything: rows were removed that no change tells of. */
  broadcastSnapshot(): void {
    this.#queue(async () => {
      if (this.clients === 0) return;
      const message = await this.#snapshot();
      this.#sequence = message.sequence;
      this.#namespace.to(told).emit('snapshot', message);
    });
  }

  /** Says goodbye to every client and closes the HTTP server with it. */
  async stop(): Promise<void> {
    clearInterval(this.#beat);
    this.#pace.stop();
    await this.#unlisten();
    await this.#sending;
    await this.#io.close();
  }

  #queue(work: () => Promise<void>): void {
    this.#sending = this.#sending.then(work).catch((err: unknown) => {
      this.#options.logger.warn({ err }, 'broadcasting live changes failed');
      // They are told when the database answers again.
      this.#pace.askLater(statsIntervalMs);
    });
  }

  async #greet(socket: Client): Promise<void> {
    if (!socket.connected) return;
    const { since } = socket.handshake.auth as { since?: unknown };
    const missed = typeof since === 'number' ? await this.#since(since) : undefined;
    const tooMuch = missed === undefined || missed.dropped.incidents + missed.dropped.sessions > 0;
    const message = tooMuch ? await this.#snapshot() : { ...missed, stats: await this.#options.stats.get() };
    this.#open = message.stats.open;
    if ('info' in message) socket.emit('snapshot', message);
    else socket.emit('changes', message);
    // Without clients, nothing was sent; what the first one knows is where telling begins.
    if (!this.#namespace.adapter.rooms.has(told)) this.#sequence = message.sequence;
    socket.emit('heartbeat', this.#heartbeat());
    await socket.join(told);
  }

  /** What changed behind a number; undefined when it is none of this database's. */
  async #since(since: number): Promise<Changes | undefined> {
    const { database, now } = this.#options;
    if (!Number.isSafeInteger(since) || since < 0 || since > (await latestChange(database))) return undefined;
    return changesSince(database, since, limits, now());
  }

  async #tell(): Promise<void> {
    if (this.clients === 0) return;
    const { database, now, stats, metrics } = this.#options;
    const changes = await changesSince(database, this.#sequence, limits, now());
    const due = now() - this.#statsAt >= statsIntervalMs;
    if (changes.sequence === this.#sequence && !due) {
      // Sums may have changed all the same: retention takes rows.
      this.#pace.askLater(statsIntervalMs);
      return;
    }
    const began = now();
    if (due) this.#statsAt = began;
    const message = { ...changes, stats: due ? await stats.get() : null };
    this.#open = message.stats?.open ?? this.#open;
    // Numbers that are not told now, or are older than the changes, come with a later message.
    if (!due || stats.madeAt < began) this.#pace.askLater(statsIntervalMs);
    this.#sequence = changes.sequence;
    const left = changes.dropped.incidents + changes.dropped.sessions;
    this.#dropped += left;
    metrics.liveDropped.inc(left);
    this.#namespace.to(told).emit('changes', message);
  }

  async #snapshot(): Promise<Parameters<LiveMessages['snapshot']>[0]> {
    const { database, info, now, stats } = this.#options;
    const sequence = await latestChange(database);
    const page = { cursor: undefined, now: now() };
    const incidents = await listIncidents(
      database,
      {},
      { ...page, limit: limits.incidents, sort: { by: 'detectedAt', descending: true } },
    );
    const sessions = await listSessions(
      database,
      {},
      { ...page, limit: limits.sessions, sort: { by: 'lastEventAt', descending: true } },
    );
    return { sequence, incidents: incidents.items, sessions: sessions.items, stats: await stats.get(), info };
  }

  #heartbeat(): HeartbeatMessage {
    return { serverTime: this.#options.now(), ...this.#options.heartbeat() };
  }
}
