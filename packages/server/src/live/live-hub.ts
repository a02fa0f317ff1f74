import type { Server as HttpServer } from 'node:http';
import type { ServerInfo } from '@loopwatch/contract';
import type { HeartbeatMessage, LiveMessages } from '@loopwatch/contract/api';
import type { Database } from '@loopwatch/storage';
import type { Logger } from 'pino';
import { type DefaultEventsMap, type Namespace, Server, type Socket } from 'socket.io';
import { listIncidents } from '../incidents/list-incidents.ts';
import { Throttle } from '../lib/throttle.ts';
import { MAX_WAITING_BYTES } from '../lib/waiting-bytes.ts';
import type { ServerMetrics } from '../metrics/metrics.ts';
import type { Auth } from '../security/auth.ts';
import { listSessions } from '../sessions/list-sessions.ts';
import type { SharedStats } from '../stats/current-stats.ts';
import { changesChannel, latestChange } from '../storage/change-lock.ts';
import { type Changes, changesSince } from './changes.ts';

/** Maximum items of a snapshot, and of one message of changes; clients load more over HTTP. */
const limits = { incidents: 200, sessions: 100 };
/** The room of clients that have received their snapshot and keep up with the changes. */
const subscribers = 'subscribers';
const UPDATE_INTERVAL_MS = 100;
const STATS_INTERVAL_MS = 1_000;
const HEARTBEAT_INTERVAL_MS = 2_000;

export interface LiveHubOptions {
  readonly database: Database;
  readonly info: ServerInfo;
  readonly metrics: ServerMetrics;
  readonly logger: Logger;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
  /** For how long something takes, ms. */
  readonly monotonic: () => number;
  readonly stats: Pick<SharedStats, 'get' | 'readAt'>;
  readonly auth: Pick<Auth, 'mayConnect' | 'mayStay'>;
  readonly heartbeat: () => Omit<HeartbeatMessage, 'serverTime'>;
}

interface ClientData {
  /** Bytes that the connection has not begun to send, because the client has not read what was sent before. */
  waiting: number;
}

type Client = Socket<DefaultEventsMap, LiveMessages, DefaultEventsMap, ClientData>;

/**
 * The Socket.IO namespace `/live`. A new client gets a snapshot, a returning one the changes that it has missed; then all get
 * changes as they happen. A client that does not read gets no more until it has read what waits for it, then a snapshot. Changes
 * are read from the database, whichever server made them.
 */
export class LiveHub {
  readonly #options: LiveHubOptions;
  readonly #io: Server<DefaultEventsMap, DefaultEventsMap, DefaultEventsMap, ClientData>;
  readonly #namespace: Namespace<DefaultEventsMap, LiveMessages, DefaultEventsMap, ClientData>;
  readonly #broadcasts = new Throttle(UPDATE_INTERVAL_MS, () =>
    this.#enqueue(() => this.#broadcastChanges()),
  );
  readonly #heartbeats: ReturnType<typeof setInterval>;
  /** Snapshots and broadcasts are sent one after the other, so that no client misses a change in between. */
  #sending: Promise<void> = Promise.resolve();
  #unlisten: () => Promise<void> = () => Promise.resolve();
  #sequence = 0;
  /** Monotonic clock, ms. */
  #statsSentAt = Number.NEGATIVE_INFINITY;
  /** Number of open incidents in the statistics sent last. */
  #openIncidents = 0;
  #dropped = 0;

  constructor(http: HttpServer, options: LiveHubOptions) {
    this.#options = options;
    this.#io = new Server(http, {
      serveClient: false,
      maxHttpBufferSize: 10_000,
      allowRequest: (request, decide) => {
        const deny = (): void => decide('not logged in, or a page of another origin', false);
        options.auth.mayConnect(request).then((isAllowed) => {
          if (isAllowed) decide(null, true);
          else deny();
        }, deny);
      },
    });
    this.#namespace = this.#io.of('/live');
    this.#namespace.on('connection', (socket) => {
      options.metrics.liveClients.inc();
      socket.on('disconnect', () => options.metrics.liveClients.dec());
      countWaiting(socket);
      this.#enqueue(() => this.#sendSnapshot(socket));
    });
    this.#heartbeats = setInterval(() => {
      this.disconnectUnauthorized();
      if (this.clients === 0) return;
      this.#namespace.volatile.emit('heartbeat', this.#heartbeat());
      // Open incidents turn quiet without a stored change, which alters the statistics.
      if (this.#openIncidents > 0) this.#broadcasts.request();
    }, HEARTBEAT_INTERVAL_MS);
  }

  /** Subscribes to changes of the database. */
  async start(): Promise<void> {
    const { database } = this.#options;
    this.#sequence = await latestChange(database);
    this.#unlisten = await database.listen(changesChannel, () => {
      if (this.clients > 0) this.#broadcasts.request();
    });
  }

  disconnectUnauthorized(): void {
    for (const socket of this.#namespace.sockets.values()) {
      if (!this.#options.auth.mayStay(socket.request)) socket.disconnect(true);
    }
  }

  get clients(): number {
    return this.#namespace.sockets.size;
  }

  get sequence(): number {
    return this.#sequence;
  }

  /** Changes that were not sent one by one, because there were too many at once. */
  get dropped(): number {
    return this.#dropped;
  }

  broadcastBacktest(...message: Parameters<LiveMessages['backtest']>): void {
    this.#readers().emit('backtest', ...message);
  }

  /** Sends everything again: deleted rows do not appear among changes. */
  broadcastSnapshot(): void {
    this.#enqueue(async () => {
      if (this.clients === 0) return;
      const message = await this.#snapshot();
      this.#sequence = message.sequence;
      this.#readers().emit('snapshot', message);
    });
  }

  /** Disconnects all clients, and closes the HTTP server as well. */
  async stop(): Promise<void> {
    clearInterval(this.#heartbeats);
    this.#broadcasts.stop();
    await this.#unlisten();
    await this.#sending;
    await this.#io.close();
  }

  /** The subscribers, without those that are behind: these subscribe again once what waits for them is on its way. */
  #readers(): ReturnType<Client['nsp']['to']> {
    for (const socket of this.#namespace.sockets.values()) {
      if (!socket.rooms.has(subscribers) || socket.data.waiting <= MAX_WAITING_BYTES) continue;
      void socket.leave(subscribers);
      socket.conn.once('drain', () => this.#enqueue(() => this.#sendSnapshot(socket)));
    }
    return this.#namespace.to(subscribers);
  }

  #enqueue(send: () => Promise<void>): void {
    this.#sending = this.#sending.then(send).catch((err: unknown) => {
      this.#options.logger.warn(
        { err, retryMs: STATS_INTERVAL_MS },
        'Broadcasting live changes failed; retrying',
      );
      this.#broadcasts.requestAfter(STATS_INTERVAL_MS);
    });
  }

  async #sendSnapshot(socket: Client): Promise<void> {
    if (!socket.connected) return;
    const { since } = socket.handshake.auth as { since?: unknown };
    const missed = typeof since === 'number' ? await this.#changesSince(since) : undefined;
    const isComplete = missed !== undefined && missed.dropped.incidents + missed.dropped.sessions === 0;
    const message = isComplete
      ? { ...missed, stats: await this.#options.stats.get({}) }
      : await this.#snapshot();
    this.#openIncidents = message.stats.open;
    if ('info' in message) socket.emit('snapshot', message);
    else socket.emit('changes', message);
    // Without subscribers nothing was broadcast, so broadcasts continue from the sequence that the first one knows.
    if (!this.#namespace.adapter.rooms.has(subscribers)) this.#sequence = message.sequence;
    socket.emit('heartbeat', this.#heartbeat());
    await socket.join(subscribers);
  }

  /** @returns undefined when the number is not a sequence of this database */
  async #changesSince(since: number): Promise<Changes | undefined> {
    const { database, now } = this.#options;
    if (!Number.isSafeInteger(since) || since < 0 || since > (await latestChange(database))) return undefined;
    return changesSince(database, since, limits, now());
  }

  async #broadcastChanges(): Promise<void> {
    if (this.clients === 0) return;
    const { database, now, monotonic, stats, metrics } = this.#options;
    const changes = await changesSince(database, this.#sequence, limits, now());
    const areStatsDue = monotonic() - this.#statsSentAt >= STATS_INTERVAL_MS;
    if (changes.sequence === this.#sequence && !areStatsDue) {
      // The statistics may have changed nevertheless, because retention deletes rows.
      this.#broadcasts.requestAfter(STATS_INTERVAL_MS);
      return;
    }
    const startedAt = now();
    if (areStatsDue) this.#statsSentAt = monotonic();
    const message = { ...changes, stats: areStatsDue ? await stats.get({}) : null };
    this.#openIncidents = message.stats?.open ?? this.#openIncidents;
    // Statistics that are missing here, or older than the changes, follow in a later message.
    if (!areStatsDue || stats.readAt < startedAt) this.#broadcasts.requestAfter(STATS_INTERVAL_MS);
    this.#sequence = changes.sequence;
    const dropped = changes.dropped.incidents + changes.dropped.sessions;
    this.#dropped += dropped;
    metrics.liveDropped.inc(dropped);
    this.#readers().emit('changes', message);
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
    return {
      sequence,
      incidents: incidents.items,
      sessions: sessions.items,
      stats: await stats.get({}),
      info,
    };
  }

  #heartbeat(): HeartbeatMessage {
    return { serverTime: this.#options.now(), ...this.#options.heartbeat() };
  }
}

function countWaiting({ conn, data }: Client): void {
  data.waiting = 0;
  conn.on('packetCreate', (packet: { readonly data?: string | Buffer }) => {
    data.waiting += Buffer.byteLength(packet.data ?? '');
  });
  conn.on('drain', () => {
    data.waiting = 0;
  });
}
