import { createApp } from './app.ts';
import { listenForOtlp } from './events/otlp-grpc.ts';
import { type HttpListener, openListener } from './http/listener.ts';
import { createServices, type ServerDeps, type Services } from './services.ts';

/** How long requests may take to finish when the server stops. */
const STOP_GRACE_MS = 5_000;

export interface LoopwatchServer {
  /**
   * Binds the port and answers `/healthz` there; optional before `start`. A port in use is reported before a database is
   * created.
   */
  listen(): Promise<{ url: string }>;
  /** Listens and starts reading; on failure everything is closed again. */
  start(): Promise<{ url: string }>;
  stop(): Promise<void>;
}

/** Stops what has been started, in reverse order. */
class StopSequence {
  readonly #steps: (() => Promise<void>)[] = [];

  add(...steps: (() => Promise<void>)[]): void {
    this.#steps.push(...steps);
  }

  async run(): Promise<void> {
    for (const step of this.#steps.splice(0).reverse()) await step();
  }
}

/** Dashboard, API and live updates, over a database that follows the topics. */
export function createServer(deps: ServerDeps): LoopwatchServer {
  const stops = new StopSequence();
  let listening: Promise<HttpListener> | undefined;
  const listen = () =>
    (listening ??= openListener(deps).then((listener) => {
      stops.add(() => listener.close());
      return listener;
    }));
  return {
    listen,
    async start() {
      try {
        const listener = await listen();
        await start(deps, listener, stops);
        return { url: listener.url };
      } catch (error) {
        await stops.run();
        throw error;
      }
    },
    stop: () => stops.run(),
  };
}

async function start(deps: ServerDeps, listener: HttpListener, stops: StopSequence): Promise<void> {
  const database = await deps.openDatabase();
  stops.add(() => database.close());
  const services = createServices(deps, database, listener);
  stops.add(...stepsToStop(services, listener));
  const { auth, verdictStreams, live, feeds, notifications, budgets, sink } = services;
  await auth.start();
  await verdictStreams.start();
  await live.start();
  listener.serve(
    createApp({
      ...services,
      info: deps.info,
      registry: deps.registry,
      dashboardDir: deps.dashboardDir,
      topics: deps.topics,
      configured: deps.configured,
      logKind: deps.log.kind,
      limits: deps.retention,
      links: deps.links ?? { grafana: null, kafka: null },
      startedAt: services.now(),
    }),
  );
  if (deps.otlpGrpcPort !== undefined) {
    const { port, close } = await listenForOtlp({
      ...deps,
      port: deps.otlpGrpcPort,
      userOf: (headers, address) => auth.userOfHeaders(headers, address),
      ingest: services.ingest,
    });
    stops.add(close);
    deps.logger.info({ port }, `OTLP over gRPC is at ${deps.host}:${String(port)}`);
  }
  await notifications.start();
  await budgets.start();
  // Both wait for unavailable brokers; stored data is served meanwhile.
  await Promise.all([sink.open(), feeds.run()]);
  services.triage.wake();
  services.erasure.resume();
  services.retention.start();
  await services.samples.start();
  deps.logger.debug({ url: listener.url, database: database.kind }, 'Server listening');
}

/** The last one is stopped first. */
function stepsToStop(services: Services, listener: HttpListener): (() => Promise<void>)[] {
  const { sink, records, notifications, budgets, subAgents, triage, jobs, auth, retention } = services;
  return [
    () => sink.close(),
    () => records.close(),
    () => notifications.stop(),
    () => budgets.stop(),
    () => subAgents.stop(),
    () => triage.stop(),
    () => jobs.stop(),
    () => auth.stop(),
    () => retention.stop(),
    async () => {
      // A posted body may never end.
      const closed = listener.close(STOP_GRACE_MS);
      await services.live.stop();
      await closed;
    },
    () => services.verdictStreams.stop(),
    () => services.feeds.stop(),
    () => services.samples.stop(),
  ];
}
