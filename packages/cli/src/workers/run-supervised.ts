import type { Settings } from '@loopwatch/contract';
import { kafkaReadiness } from '../runtime/kafka.ts';
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
  const status = () => {
    const { ok: connected, detail } = kafkaReadiness(worker.status, logger);
    return { connected, detail };
  };
  const link = linkToSupervisor(status, registry, logger);
  const start = { done: false };
  try {
    const started = worker.start().then(() => {
      start.done = true;
      link.ready();
      logWatching(settings, logger);
    });
    // A start may wait long for brokers; whoever stops it meanwhile need not.
    await Promise.race([started, link.stopAsked]);
    const reason = await link.stopAsked;
    if (start.done) await stopInTime([worker], reason, logger);
    // A start that waits for brokers has nothing in progress.
    else process.exit(0);
  } finally {
    link.close();
  }
}
