import cluster from 'node:cluster';
import { type Settings, topicNames } from '@loopwatch/contract';
import { partitionCount } from '@loopwatch/log';
import type { Logger } from 'pino';
import { AggregatorRegistry } from 'prom-client';
import { logDurability } from '../kafka/durability.ts';
import { kafkaOptions, kafkaReadiness } from '../kafka/options.ts';
import { workerInputs } from '../kafka/worker-inputs.ts';
import { debugOnSignal } from '../runtime/debug-signal.ts';
import { listenForHealth } from '../runtime/http.ts';
import { runUntilSignal, stopInTime } from '../runtime/lifecycle.ts';
import { observe } from '../runtime/observability.ts';
import { createWorker, logWatching } from './create-worker.ts';
import { REPORT_EVERY_MS, WorkerCluster, type WorkerReport } from './worker-cluster.ts';

/** Passes a worker its number; `cluster.worker.id` changes with each restart. */
const NUMBER_VARIABLE = 'CLUSTER_WORKER_NUMBER';
/**
 * Twice Node's default, in MiB. Events and most objects derived from them are garbage after one batch; with the default
 * size, garbage collection copies batches while they are still being analyzed.
 */
const YOUNG_GENERATION = '--max-semi-space-size=32';

/** Runs `worker.threads` processes of this command; one port serves the health and metrics of all. */
export async function runCluster(settings: Settings, warnings: readonly string[]): Promise<void> {
  if (cluster.isWorker) return runClusterWorker(settings);
  const { threads: workers } = settings.worker;
  const { logger, telemetry, exportMetrics } = await observe(settings, 'workers', 'worker');
  for (const warning of warnings) logger.warn(warning);
  // Reads the certificate files here, so that one that is missing is reported once and not by each worker.
  kafkaOptions(settings, logger);
  cluster.setupPrimary({
    // Metrics hold NaN and Infinity, which JSON would turn into null.
    serialization: 'advanced',
    // Flags that this process was started with come last and win.
    execArgv: [YOUNG_GENERATION, ...process.execArgv],
  });
  const workerCluster = new WorkerCluster({
    workers,
    fork: (number) => cluster.fork({ [NUMBER_VARIABLE]: String(number) }),
    logger,
  });
  debugOnSignal(logger, () => workerCluster.passDebugSignal());
  // Each worker sends its own.
  exportMetrics(workerCluster.registry);
  const health = await listenForHealth(settings.worker, () => workerCluster.readiness(), workerCluster);
  workerCluster.start();
  const { events } = topicNames(settings.kafka.topics);
  logger.info(
    { workers, events, group: settings.kafka.group, port: health.port },
    `Running ${String(workers)} workers on ${events}; health and metrics on port ${String(health.port)}`,
  );
  void workerCluster.firstConnected.then(async () => {
    await warnOfIdleWorkers(settings, logger);
    await logDurability(settings, logger);
  });
  try {
    await Promise.race([runUntilSignal([workerCluster, health, telemetry], logger), workerCluster.failed]);
  } catch (error) {
    await workerCluster.stop();
    await health.stop();
    throw error;
  }
  if (!workerCluster.stoppedCleanly) process.exitCode = 1;
}

/** Runs one worker of the cluster until a signal or the end of the primary process. */
async function runClusterWorker(settings: Settings): Promise<void> {
  const number = process.env[NUMBER_VARIABLE] ?? '';
  const { logger: processLogger, telemetry, createRegistry } = await observe(settings, 'worker');
  const logger = processLogger.child({ worker: Number(number) });
  debugOnSignal(logger);
  const registry = createRegistry();
  registry.setDefaultLabels({ worker: number });
  AggregatorRegistry.setRegistries(registry);
  // The constructor registers the handler for the primary's metrics requests.
  new AggregatorRegistry();
  const worker = createWorker(settings, workerInputs(settings, logger), { registry, logger });
  const report = () => send({ kind: 'worker-report', ...kafkaReadiness(worker.status, logger) });
  const reports = setInterval(report, REPORT_EVERY_MS);
  // A terminal and systemd signal every process, and the primary passes its signal on: only the first one counts.
  const stopRequested = new Promise<string>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => resolve(name));
    const self = cluster.worker;
    self?.once('disconnect', () => {
      // Keeps node:cluster from ending this process at once, so that the batch in progress is committed.
      self.exitedAfterDisconnect = true;
      resolve('The primary process has exited');
    });
  });
  const stoppedEarly = await Promise.race([worker.start(), stopRequested]);
  // A worker that is still waiting for its brokers has nothing in progress.
  if (stoppedEarly !== undefined) process.exit(0);
  report();
  logWatching(settings, logger);
  const reason = await stopRequested;
  await stopInTime([worker, telemetry], reason, logger);
  clearInterval(reports);
  if (process.connected) process.disconnect();
}

/** A closed channel means that the primary is gone, which ends the worker anyway. */
function send(report: WorkerReport): void {
  if (process.connected) process.send?.(report, undefined, undefined, () => undefined);
}

/** A partition has one worker at a time, so workers beyond the number of partitions stay idle. */
async function warnOfIdleWorkers(settings: Settings, logger: Logger): Promise<void> {
  const { threads: workers } = settings.worker;
  const { events } = topicNames(settings.kafka.topics);
  try {
    const partitions = await partitionCount(kafkaOptions(settings, logger), events);
    if (workers <= partitions) return;
    const of = `${String(partitions)} partition${partitions === 1 ? '' : 's'} of ${events}`;
    logger.warn(
      { workers, partitions },
      `${String(workers)} workers for ${of}: ${String(workers - partitions)} of them will stay idle. ` +
        'Set worker.threads to at most the number of partitions, or add partitions.',
    );
  } catch (err) {
    logger.warn({ err }, `Cannot count the partitions of ${events}`);
  }
}
