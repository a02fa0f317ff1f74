import { type Settings, type TopicNames, topicNames } from '@loopwatch/contract';
import type { RecordSink, TaskRunner, TopicReader } from '@loopwatch/log';
import { createServer, type ServerLog } from '@loopwatch/server';
import { type Database, openDatabase, traceDatabase } from '@loopwatch/storage';
import type { Command } from 'commander';
import type { Logger } from 'pino';
import { type LoadedConfig, loadConfig } from '../config/load-config.ts';
import { addConfigOptions, type ConfigOptions } from '../config/options.ts';
import { gatewaySettings, startGateway } from '../gateway/start-gateway.ts';
import { logDurability } from '../kafka/durability.ts';
import { kafkaServerLog, kafkaSink } from '../kafka/options.ts';
import { workerInputs } from '../kafka/worker-inputs.ts';
import { debugOnSignal } from '../runtime/debug-signal.ts';
import { openDataDir } from '../runtime/embedded-log.ts';
import { listenFailure } from '../runtime/http.ts';
import { samplesDir, version } from '../runtime/installation.ts';
import { exitWhenStorageLost, type Running, runUntilSignal, untilStarted } from '../runtime/lifecycle.ts';
import { isReadable } from '../runtime/logger.ts';
import { type Observability, observe } from '../runtime/observability.ts';
import { writeOut } from '../runtime/output.ts';
import { loadSamples } from '../samples/load-samples.ts';
import { SamplePlayer } from '../samples/sample-player.ts';
import { serverDeps } from '../server/server-deps.ts';
import { createWorker } from '../workers/create-worker.ts';
import { describedCommand } from './summaries.ts';

interface Options extends ConfigOptions {
  readonly brokers?: string;
  readonly port?: string;
  readonly dataDir?: string;
  readonly allowAnonymous?: true;
  readonly preset?: string;
  readonly upstream?: string;
  /** Default: true with the embedded log, false with Kafka. */
  readonly samples?: boolean;
}

/** `loopwatch start`: everything in one process, on the embedded log unless brokers are given. */
export function startCommand(): Command {
  const command = describedCommand('start')
    .option('--port <n>', 'port of dashboard, API and metrics (default: 4600)')
    .option('--data-dir <dir>', 'folder of the embedded log and database (default: .loopwatch)')
    .option(
      '--brokers <list>',
      'Kafka instead of the embedded log: comma-separated bootstrap servers, host:port (default: KAFKA_BROKERS)',
    )
    .option('--preset <name>', 'detection preset (default: balanced)')
    .option('--upstream <url>', 'also run the gateway on port 4610 for this API (base URL ending in /v1)')
    .option('--allow-anonymous', 'allow access without a login when other machines can reach the server')
    .option('--samples', 'play the sample sessions with Kafka too')
    .option('--no-samples', 'do not play the sample sessions');
  return addConfigOptions(command).action(async (options: Options) => {
    const loaded = loadConfig(options, [
      { flag: '--brokers', path: 'kafka.brokers', text: options.brokers },
      { flag: '--port', path: 'server.port', text: options.port },
      { flag: '--data-dir', path: 'storage.data_dir', text: options.dataDir },
      {
        flag: '--allow-anonymous',
        path: 'server.allow_anonymous',
        text: options.allowAnonymous && 'true',
      },
      { flag: '--preset', path: 'preset', text: options.preset },
      { flag: '--upstream', path: 'gateway.upstream', text: options.upstream },
    ]);
    const { settings, warnings } = loaded;
    const observability = await observe(settings, 'loopwatch');
    const { logger, telemetry } = observability;
    debugOnSignal(logger);
    for (const warning of warnings) logger.warn(warning);
    const deps = serverDeps(loaded, logger);
    const topics = topicNames(settings.kafka.topics);
    const embedded = settings.kafka.brokers.length === 0;
    if (embedded && Object.keys(settings.kafka.sources).length > 0)
      logger.warn('kafka.sources has no effect without Kafka: no other producer writes to the embedded log');
    const log = embedded ? await openEmbedded(settings, topics, logger) : openKafka(settings, logger);
    const withSamples = options.samples ?? embedded;
    const database = sharedDatabase(settings, observability);
    const starting = startAll(loaded, deps, log, { withSamples, openDatabase: database }, observability);
    const { running, showAddress } = await untilStarted(starting, logger);
    if (settings.gateway.upstream !== undefined) {
      const gatewayStorage = {
        sink: log.sink(),
        control: () => log.server.reader(topics.control),
        // The server, which stops later, closes it.
        openDatabase: async () => ({ ...(await database()), close: () => Promise.resolve() }),
      };
      try {
        running.unshift(
          await startGateway(gatewaySettings(loaded), gatewayStorage, observability, '--set gateway.port=N'),
        );
      } catch (error) {
        for (const part of running) await part.stop();
        throw error;
      }
    }
    const drainMs = settings.gateway.upstream === undefined ? 0 : settings.gateway.drain_seconds * 1_000;
    // Last, so that the address is the line that users see.
    await showAddress();
    if (!embedded) void logDurability(settings, logger);
    await runUntilSignal([...running, telemetry], logger, drainMs);
  });
}

/** The database that server and gateway share; opened on first use. */
function sharedDatabase({ storage }: Settings, { logger }: Observability): () => Promise<Database> {
  let opening: Promise<Database> | undefined;
  return () =>
    (opening ??= openDatabase(storage, logger, exitWhenStorageLost(logger)).then((database) =>
      traceDatabase(database),
    ));
}

/** The event log as worker, server and gateway use it. */
interface Log extends Running {
  readonly events: TaskRunner;
  readonly control: TopicReader;
  readonly server: ServerLog;
  sink(): RecordSink;
}

async function openEmbedded(settings: Settings, topics: TopicNames, logger: Logger): Promise<Log> {
  const { events, verdicts, sessions, triage, control } = topics;
  const read = [events, verdicts, sessions, triage, control, topics['dead-letters']];
  const log = await openDataDir(settings, topics, logger, read);
  return {
    events: log.tasks([topics.events], settings.kafka.group),
    control: log.reader(topics.control),
    server: {
      kind: 'embedded',
      reader: (topic) => log.reader(topic),
      records: () => log.records(),
      sink: () => log.sink(),
      erase: (isErased) => log.erase(isErased),
    },
    sink: () => log.sink(),
    stop: () => log.close(),
  };
}

function openKafka(settings: Settings, logger: Logger): Log {
  return {
    ...workerInputs(settings, logger),
    server: kafkaServerLog(settings, logger),
    sink: () => kafkaSink(settings, logger),
    stop: () => Promise.resolve(),
  };
}

/** Stands out among the log lines of a terminal. */
function banner(url: string, playing: string): string {
  const title = [`Loopwatch ${version}`, playing].filter(Boolean).join(', ');
  return `\n  ${title}\n\n  Dashboard   ${url}\n  Press Ctrl+C to stop.\n\n`;
}

interface Started {
  /** In the order in which they stop. */
  readonly running: Running[];
  readonly showAddress: () => Promise<void>;
}

/** Starts worker and server; if one fails to start, stops those already running. */
async function startAll(
  { settings }: LoadedConfig,
  deps: ReturnType<typeof serverDeps>,
  log: Log,
  {
    withSamples,
    openDatabase: database,
  }: { readonly withSamples: boolean; readonly openDatabase: () => Promise<Database> },
  { logger, createRegistry }: Observability,
): Promise<Started> {
  const { topics } = deps;
  const registry = createRegistry();
  const worker = createWorker(settings, log, { registry, logger });
  const samples = withSamples ? loadSamples(samplesDir) : [];
  const player = new SamplePlayer({ samples, createSink: () => log.sink(), topic: topics.events, logger });
  const server = createServer({
    ...deps,
    ...(withSamples && { samples: player }),
    log: log.server,
    openDatabase: database,
    registry,
    readiness: () => Promise.resolve({ log: { ok: worker.status.connected, detail: worker.status.detail } }),
    lastEventAt: () => worker.lastEventAt,
    analyzedTo: () => worker.readTo,
  });
  const running: Running[] = [log];
  try {
    running.unshift(server);
    await server.listen();
    const startWorker = async () => {
      await worker.start();
      running.splice(1, 0, worker);
    };
    // Pages do not wait for the sessions to be restored. With Kafka, the worker tells at once what is wrong with the cluster.
    const isFirst = log.server.kind === 'kafka';
    if (isFirst) await startWorker();
    const { url } = await server.start();
    if (!isFirst) await startWorker();
    const playing =
      samples.length === 0
        ? ''
        : `playing ${String(samples.length)} sample sessions unless stopped in the dashboard`;
    const showAddress = async () => {
      if (isReadable(settings.log)) await writeOut(banner(url, playing));
      else {
        const message = `Loopwatch ${version} is at ${url}${playing && `; ${playing}`}`;
        logger.info({ url, preset: settings.preset, version }, message);
      }
    };
    return { running, showAddress };
  } catch (error) {
    for (const part of running) await part.stop();
    throw listenFailure(error, settings.server.port);
  }
}
