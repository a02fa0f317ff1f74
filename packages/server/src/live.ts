import type { Server as HttpServer } from 'node:http';
import type { LiveEvents, LiveHeartbeat, ServerInfo } from '@loopwatch/contract';
import { type DefaultEventsMap, Server } from 'socket.io';
import { ChangeFeed } from './change-feed.ts';
import type { IncidentStore } from './incident-store.ts';
import type { ServerMetrics } from './metrics.ts';
import { isSameOrigin } from './origin.ts';

/** Incidents that a snapshot carries; older ones are a page away over HTTP. */
const SNAPSHOT_INCIDENTS = 200;
const UPDATE_INTERVAL_MS = 100;
const HEARTBEAT_INTERVAL_MS = 2_000;

export interface LiveOptions {
  readonly store: IncidentStore;
  readonly info: ServerInfo;
  readonly metrics: ServerMetrics;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
  readonly heartbeat: () => Omit<LiveHeartbeat, 'serverTime'>;
}

/** The Socket.IO namespace `/live`: a snapshot on connect, then what changed, and a heartbeat. */
export class Live {
  private readonly io: Server<DefaultEventsMap, LiveEvents>;
  private readonly namespace;
  private readonly feed: ChangeFeed;
  private readonly beat: ReturnType<typeof setInterval>;
  private readonly options: LiveOptions;

  constructor(http: HttpServer, options: LiveOptions) {
    this.options = options;
    this.io = new Server(http, {
      serveClient: false,
      maxHttpBufferSize: 10_000,
      allowRequest: ({ headers }, decide) => decide(null, isSameOrigin(headers)),
    });
    this.namespace = this.io.of('/live');
    this.namespace.on('connection', (socket) => {
      socket.emit('snapshot', this.snapshot());
      socket.emit('heartbeat', this.heartbeat());
      options.metrics.liveClients.inc();
      socket.on('disconnect', () => options.metrics.liveClients.dec());
    });
    this.feed = new ChangeFeed(UPDATE_INTERVAL_MS, (ids) => this.tell(ids));
    this.beat = setInterval(() => {
      if (this.hasClients()) this.namespace.emit('heartbeat', this.heartbeat());
    }, HEARTBEAT_INTERVAL_MS);
  }

  /** Notes that an incident is new or has changed. */
  changed(incidentId: string): void {
    if (this.hasClients()) this.feed.add(incidentId);
  }

  /** Says goodbye to every client and closes the HTTP server with it. */
  async stop(): Promise<void> {
    clearInterval(this.beat);
    this.feed.stop();
    await this.io.close();
  }

  private hasClients(): boolean {
    return this.namespace.sockets.size > 0;
  }

  private tell(ids: readonly string[]): void {
    const { store, now } = this.options;
    if (ids.length > SNAPSHOT_INCIDENTS) {
      this.namespace.emit('snapshot', this.snapshot());
      return;
    }
    const incidents = ids.flatMap((id) => store.row(id) ?? []);
    this.namespace.emit('incidents', { incidents, stats: store.stats(now()) });
  }

  private snapshot(): Parameters<LiveEvents['snapshot']>[0] {
    const { store, info, now } = this.options;
    return { incidents: store.rows().slice(0, SNAPSHOT_INCIDENTS), stats: store.stats(now()), info };
  }

  private heartbeat(): LiveHeartbeat {
    return { serverTime: this.options.now(), ...this.options.heartbeat() };
  }
}
