import type { Settings } from '@loopwatch/contract';
import { stopInTime } from '../runtime/lifecycle.ts';
import { createLogger } from '../runtime/logger.ts';
import { processRegistry } from '../runtime/registry.ts';
import { workerInputs } from '../runtime/worker-inputs.ts';
import { createWorker, logWatching } from './create-worker.ts';
import { linkToSupervisor } from './supervisor-link.ts';

/** Runs the worker of this number under the supervisor that started this process; it has no port of its own. */
export async function runSupervised(settings: Settings, number: number): Promise<void> {
  const logger = createLogger(settings.log, 'worker').child({ worker: number });
  const registry = processRegistry({ worker: String(number) });
  const worker = createWorker(settings, workerInputs(settings, logger), registry, logger);
  const link = linkToSupervisor(() => worker.status, registry, logger);
  try {
    const started = worker.start().then(() => {
      link.ready();
      logWatching(settings, logger);
    });
    // A start may wait long for brokers; whoever stops it meanwhile need not.
    await Promise.race([started, link.stopAsked]);
    const reason = await link.stopAsked;
    await stopInTime([worker], reason, logger);
  } finally {
    link.close();
  }
}
