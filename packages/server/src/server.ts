import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServerInfo, TopicNames } from '@loopwatch/contract';
import type { EventSource, VerdictSink } from '@loopwatch/log';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { createApp } from './app.ts';
import type { Readiness } from './health.ts';
import { IncidentStore } from './incident-store.ts';
import { Live } from './live.ts';
import { createServerMetrics } from './metrics.ts';
import { VerdictLog } from './verdict-log.ts';
import { VerdictReader } from './verdict-reader.ts';

export interface ServerDeps {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** The verdict topic from its beginning; run by `start`, closed by `stop`, never committed. */
  readonly verdicts: EventSource;
  /** Where posted events go; opened by `start`, closed by `stop`. */
  readonly events: VerdictSink;
  readonly topics: TopicNames;
  readonly registry: Registry;
  readonly logger: Logger;
  readonly info: ServerInfo;
  readonly readiness: () => Promise<Readiness>;
  /** The built dashboard, where index.html lies. */
  readonly dashboardDir: string;
  /** Wall clock of the latest agent event, where the process knows: a worker in the same process. */
  readonly lastEventAt?: () => number | null;
  /** Incidents to keep in memory, default 2,000. */
  readonly maxIncidents?: number;
  /** Wall clock, epoch ms; the system's by default. */
  readonly now?: () => number;
}

export interface LoopwatchServer {
  /** Listens and starts reading; rejects, with everything closed again, when either cannot be done. */
  start(): Promise<{ url: string }>;
  stop(): Promise<void>;
}

/** Dashboard, API and live link over the verdict topic. */
export function createServer(deps: ServerDeps): LoopwatchServer {
  const { logger, now = Date.now } = deps;
  const metrics = createServerMetrics(deps.registry);
  const store = new IncidentStore(deps.maxIncidents === undefined ? {} : { limit: deps.maxIncidents });
  const log = new VerdictLog();
  let lastPostedAt: number | null = null;
  let live: Live | undefined;

  const reader = new VerdictReader({
    store,
    log,
    metrics,
    logger,
    onChange: (incidentId) => live?.changed(incidentId),
  });
  const app = createApp({
    store,
    log,
    metrics,
    logger,
    now,
    sink: deps.events,
    topic: deps.topics.events,
    info: deps.info,
    registry: deps.registry,
    dashboardDir: deps.dashboardDir,
    readiness: async () => ({ ...(await deps.readiness()), verdicts: reader.readiness() }),
    onAccepted: (at) => {
      lastPostedAt = at;
    },
  });
  const http = createHttpServer(app);

  const stop = async (): Promise<void> => {
    await deps.verdicts.stop();
    await live?.stop();
    http.closeAllConnections();
    await deps.events.close();
  };

  return {
    async start() {
      try {
        const url = await listen(http, deps.host, deps.port);
        live = new Live(http, {
          store,
          metrics,
          now,
          info: deps.info,
          heartbeat: () => ({
            lag: reader.lag,
            lastEventAt: latest(deps.lastEventAt?.() ?? null, lastPostedAt),
            lastVerdictAt: reader.lastVerdictAt,
          }),
        });
        await deps.events.open();
        await deps.verdicts.run(reader.handle, reader.observer);
        logger.info({ url }, 'the server listens');
        return { url };
      } catch (error) {
        await stop();
        throw error;
      }
    },
    stop,
  };
}

async function listen(http: HttpServer, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen(port, host, () => {
      http.off('error', reject);
      resolve();
    });
  });
  const address = http.address() as AddressInfo;
  const local = ['127.0.0.1', '::1', '0.0.0.0', '::'].includes(address.address);
  const name = local ? 'localhost' : address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${name}:${String(address.port)}`;
}

function latest(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.max(a, b);
}
