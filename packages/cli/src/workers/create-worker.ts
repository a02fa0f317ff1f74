import { type Settings, topicNames } from '@loopwatch/contract';
import { Worker, type WorkerDeps } from '@loopwatch/worker';
import type { Logger } from 'pino';
import type { WorkerInputs } from '../kafka/worker-inputs.ts';
import { configuredModel } from './configured-model.ts';

/** Creates the worker of this process; does not start it. */
export function createWorker(
  settings: Settings,
  { events, sources, control }: WorkerInputs,
  { registry, logger }: Pick<WorkerDeps, 'registry' | 'logger'>,
): Worker {
  return new Worker({
    runner: events,
    control,
    sources,
    topics: topicNames(settings.kafka.topics),
    detection: settings,
    model: configuredModel(settings, logger),
    system: settings.kafka.brokers.length > 0 ? 'kafka' : 'loopwatch_embedded',
    maxReplayRecords: settings.worker.replay_reach,
    registry,
    logger,
  });
}

/** Logs that a worker is connected. */
export function logWatching(settings: Settings, logger: Logger, port?: number): void {
  const { brokers, group } = settings.kafka;
  const { events, verdicts } = topicNames(settings.kafka.topics);
  const health = port === undefined ? '' : `; health and metrics on port ${String(port)}`;
  logger.info(
    { brokers, group, events, verdicts, preset: settings.preset, ...(port !== undefined && { port }) },
    `Watching ${events} on ${brokers.join(',')} as ${group}${health}`,
  );
}
