import { type Settings, topicNames } from '@loopwatch/contract';
import { partitionCount } from '@loopwatch/log';
import type { Logger } from 'pino';
import { logDurability } from '../runtime/durability.ts';
import { listenForHealth } from '../runtime/http.ts';
import { kafkaOptions } from '../runtime/kafka.ts';
import { runUntilSignal } from '../runtime/lifecycle.ts';
import { createLogger } from '../runtime/logger.ts';
import { processRegistry } from '../runtime/registry.ts';
import { Supervisor } from './supervisor.ts';
import { forkWorker } from './worker-process.ts';

/** Runs `worker.workers` processes, with one port for the health and the metrics of all. */
export async function runSupervisor(settings: Settings, warnings: readonly string[]): Promise<void> {
  const { workers } = settings.worker;
  const logger = createLogger(settings.log, 'supervisor');
  for (const warning of warnings) logger.warn(warning);
  // Files that cannot be used are named here, once, and not by each worker.
  kafkaOptions(settings, logger);
  const supervisor = new Supervisor({
    workers,
    fork: (number) => forkWorker(number, logger),
    registry: processRegistry({ worker: 'supervisor' }),
    logger,
  });
  const health = await listenForHealth(settings.worker, () => supervisor.readiness(), supervisor);
  supervisor.start();
  const { events } = topicNames(settings.kafka.topics);
  logger.info(
    { workers, events, group: settings.kafka.group, port: health.port },
    `Supervising ${String(workers)} workers of ${events}; health and metrics of all on port ${String(health.port)}`,
  );
  void supervisor.ready.then(async () => {
    await warnOfIdleWorkers(settings, logger);
    await logDurability(settings, logger);
  });
  try {
    await Promise.race([runUntilSignal([supervisor, health], logger), supervisor.failed]);
  } catch (error) {
    await supervisor.stop();
    await health.stop();
    throw error;
  }
  if (!supervisor.clean) process.exitCode = 1;
}

/** A partition has one worker at a time, so that workers beyond their number wait for one that ends. */
async function warnOfIdleWorkers(settings: Settings, logger: Logger): Promise<void> {
  const { workers } = settings.worker;
  const { events } = topicNames(settings.kafka.topics);
  try {
    const partitions = await partitionCount(kafkaOptions(settings, logger), events);
    if (workers <= partitions) return;
    const of = `${String(partitions)} partition${partitions === 1 ? '' : 's'} of ${events}`;
    logger.warn(
      { workers, partitions },
      `${String(workers)} workers for ${of}: ${String(workers - partitions)} of them will have nothing to do. ` +
        'Set worker.workers to no more than there are partitions, or add partitions.',
    );
  } catch (err) {
    logger.warn({ err }, `The partitions of ${events} could not be counted`);
  }
}
