import { topicNames } from '@loopwatch/contract';
import { Worker } from '@loopwatch/worker';
import { Command } from 'commander';
import { loadConfig } from '../config/load-config.ts';
import { addConfigOptions, type ConfigOptions } from '../config/options.ts';
import { listenForHealth } from '../runtime/http.ts';
import { eventsSource, kafkaSink, requireBrokers } from '../runtime/kafka.ts';
import { runUntilSignal } from '../runtime/lifecycle.ts';
import { createLogger } from '../runtime/logger.ts';
import { configuredModel } from '../runtime/model.ts';
import { processRegistry } from '../runtime/registry.ts';

interface Options extends ConfigOptions {
  readonly brokers?: string;
  readonly group?: string;
  readonly port?: string;
  readonly preset?: string;
}

/** `loopwatch worker`: events in, verdicts out. */
export function workerCommand(): Command {
  const command = new Command('worker')
    .description('consumes events and publishes verdicts; run as many as there are partitions')
    .option('--brokers <list>', 'host:port of the brokers, by commas (default: KAFKA_BROKERS)')
    .option('--group <name>', 'consumer group that the workers share')
    .option('--port <n>', 'health and metrics (default: 4601)')
    .option('--preset <name>', 'the numbers to detect by (default: balanced)');
  return addConfigOptions(command).action(async (options: Options) => {
    const { settings, warnings } = loadConfig(options, [
      { flag: '--brokers', path: 'kafka.brokers', text: options.brokers },
      { flag: '--group', path: 'kafka.group', text: options.group },
      { flag: '--port', path: 'worker.port', text: options.port },
      { flag: '--preset', path: 'preset', text: options.preset },
    ]);
    const brokers = requireBrokers(settings);
    const logger = createLogger(settings.log, 'worker');
    for (const warning of warnings) logger.warn(warning);
    const registry = processRegistry();
    const topics = topicNames(settings.kafka.topics);
    const worker = new Worker({
      source: eventsSource(settings, logger),
      sink: kafkaSink(settings, logger),
      topics,
      detection: settings,
      model: configuredModel(settings, logger),
      registry,
      logger,
    });
    const readiness = () =>
      Promise.resolve({ kafka: { ok: worker.status.connected, detail: worker.status.detail } });
    const health = await listenForHealth(settings.worker, readiness, registry);
    try {
      await worker.start();
    } catch (error) {
      await health.stop();
      throw error;
    }
    const { group } = settings.kafka;
    logger.info(
      {
        brokers,
        group,
        events: topics.events,
        verdicts: topics.verdicts,
        preset: settings.preset,
        port: health.port,
      },
      `Watching ${topics.events} on ${brokers.join(',')} as ${group}; health and metrics on port ${String(health.port)}`,
    );
    await runUntilSignal([worker, health], logger);
  });
}
