import { topicNames } from '@loopwatch/contract';
import { planDetection } from '@loopwatch/detectors';
import { createServer } from '@loopwatch/server';
import { modelClient } from '@loopwatch/worker';
import { Command } from 'commander';
import { loadConfig } from '../config/load-config.ts';
import { addConfigOptions, type ConfigOptions } from '../config/options.ts';
import { listenFailure } from '../runtime/http.ts';
import { kafkaSink, requireBrokers, verdictsSource } from '../runtime/kafka.ts';
import { runUntilSignal } from '../runtime/lifecycle.ts';
import { createLogger } from '../runtime/logger.ts';
import { dashboardDir } from '../runtime/paths.ts';
import { processRegistry } from '../runtime/registry.ts';
import { version } from '../runtime/version.ts';

interface Options extends ConfigOptions {
  readonly brokers?: string;
  readonly port?: string;
}

/** `loopwatch server`: dashboard, API and live link over the verdicts in Kafka. */
export function serverCommand(): Command {
  const command = new Command('server')
    .description('serves dashboard and API over the verdicts in Kafka')
    .option('--brokers <list>', 'host:port of the brokers, by commas (default: KAFKA_BROKERS)')
    .option('--port <n>', 'dashboard, API and metrics (default: 4600)');
  return addConfigOptions(command).action(async (options: Options) => {
    const { settings, warnings } = loadConfig(options, [
      { flag: '--brokers', path: 'kafka.brokers', text: options.brokers },
      { flag: '--port', path: 'server.port', text: options.port },
    ]);
    requireBrokers(settings);
    const logger = createLogger(settings.log, 'server');
    for (const warning of warnings) logger.warn(warning);
    const registry = processRegistry();
    const { preset, configHash } = planDetection(settings, modelClient(settings.llm) !== undefined);
    const server = createServer({
      ...settings.server,
      verdicts: verdictsSource(settings, logger),
      events: kafkaSink(settings, logger),
      topics: topicNames(settings.kafka.topics),
      registry,
      logger,
      info: { version, preset, configHash },
      readiness: () => Promise.resolve({}),
      dashboardDir,
    });
    try {
      const { url } = await server.start();
      logger.info({ url, version }, `Loopwatch ${version} is at ${url}`);
    } catch (error) {
      throw listenFailure(error, settings.server.port);
    }
    await runUntilSignal([server], logger);
  });
}
