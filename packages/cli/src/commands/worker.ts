import { measureReadiness } from '@loopwatch/server/health';
import type { Command } from 'commander';
import { loadConfig } from '../config/load-config.ts';
import { addConfigOptions, type ConfigOptions } from '../config/options.ts';
import { logDurability } from '../kafka/durability.ts';
import { kafkaReadiness, requireBrokers } from '../kafka/options.ts';
import { workerInputs } from '../kafka/worker-inputs.ts';
import { debugOnSignal } from '../runtime/debug-signal.ts';
import { listenForHealth } from '../runtime/http.ts';
import { runUntilSignal, untilStarted } from '../runtime/lifecycle.ts';
import { observe } from '../runtime/observability.ts';
import { createWorker, logWatching } from '../workers/create-worker.ts';
import { describedCommand } from './summaries.ts';

interface Options extends ConfigOptions {
  readonly brokers?: string;
  readonly group?: string;
  readonly port?: string;
  readonly preset?: string;
}

/** `loopwatch worker`: events in, verdicts out. */
export function workerCommand(): Command {
  const command = describedCommand('worker')
    .option('--brokers <list>', 'comma-separated bootstrap servers, host:port (default: KAFKA_BROKERS)')
    .option('--group <name>', 'consumer group that the workers share')
    .option('--port <n>', 'port of health and metrics (default: 4601)')
    .option('--preset <name>', 'detection preset (default: balanced)');
  return addConfigOptions(command).action(async (options: Options) => {
    const { settings, warnings } = loadConfig(options, [
      { flag: '--brokers', path: 'kafka.brokers', text: options.brokers },
      { flag: '--group', path: 'kafka.group', text: options.group },
      { flag: '--port', path: 'worker.port', text: options.port },
      { flag: '--preset', path: 'preset', text: options.preset },
    ]);
    requireBrokers(settings);
    const { logger, telemetry, createRegistry } = await observe(settings, 'worker');
    debugOnSignal(logger);
    for (const warning of warnings) logger.warn(warning);
    const registry = createRegistry();
    const worker = createWorker(settings, workerInputs(settings, logger), { registry, logger });
    const readiness = () => Promise.resolve({ kafka: kafkaReadiness(worker.status, logger) });
    measureReadiness(readiness, registry);
    const health = await listenForHealth(settings.worker, readiness, registry);
    try {
      await untilStarted(worker.start(), logger);
    } catch (error) {
      await health.stop();
      throw error;
    }
    logWatching(settings, logger, health.port);
    void logDurability(settings, logger);
    await runUntilSignal([worker, health, telemetry], logger);
  });
}
