import { detectionSettings, topicNames } from '@loopwatch/contract';
import { planDetection } from '@loopwatch/detectors';
import { createServer, retentionLimits } from '@loopwatch/server';
import { openDatabase } from '@loopwatch/storage';
import { modelClient } from '@loopwatch/worker';
import { Command } from 'commander';
import { loadConfig } from '../config/load-config.ts';
import { addConfigOptions, type ConfigOptions } from '../config/options.ts';
import { accessTokens } from '../runtime/access-tokens.ts';
import { listenFailure } from '../runtime/http.ts';
import { kafkaServerLog, requireBrokers } from '../runtime/kafka.ts';
import { runUntilSignal } from '../runtime/lifecycle.ts';
import { createLogger } from '../runtime/logger.ts';
import { oidcLogin } from '../runtime/oidc-login.ts';
import { outwardLinks } from '../runtime/outward-links.ts';
import { dashboardDir } from '../runtime/paths.ts';
import { processRegistry } from '../runtime/registry.ts';
import { version } from '../runtime/version.ts';

interface Options extends ConfigOptions {
  readonly brokers?: string;
  readonly port?: string;
  readonly dataDir?: string;
}

/** `loopwatch server`: dashboard, API and live link over a database that follows the topics in Kafka. */
export function serverCommand(): Command {
  const command = new Command('server')
    .description('serves dashboard and API over the verdicts in Kafka')
    .option('--brokers <list>', 'host:port of the brokers, by commas (default: KAFKA_BROKERS)')
    .option('--port <n>', 'dashboard, API and metrics (default: 4600)')
    .option(
      '--data-dir <dir>',
      'where the embedded database lies, unless DATABASE_URL names another (default: .loopwatch)',
    );
  return addConfigOptions(command).action(async (options: Options) => {
    const { settings, origins, warnings } = loadConfig(options, [
      { flag: '--brokers', path: 'kafka.brokers', text: options.brokers },
      { flag: '--port', path: 'server.port', text: options.port },
      { flag: '--data-dir', path: 'storage.data_dir', text: options.dataDir },
    ]);
    requireBrokers(settings);
    const logger = createLogger(settings.log, 'server');
    for (const warning of warnings) logger.warn(warning);
    const registry = processRegistry();
    const { preset, configHash } = planDetection(settings, modelClient(settings.llm) !== undefined);
    const server = createServer({
      host: settings.server.host,
      port: settings.server.port,
      links: outwardLinks(settings.server),
      log: kafkaServerLog(settings, logger),
      openDatabase: () => openDatabase(settings.storage, logger),
      topics: topicNames(settings.kafka.topics),
      registry,
      logger,
      info: { version, preset, configHash },
      configured: { settings: detectionSettings(settings), origins },
      retention: retentionLimits(settings),
      tokens: accessTokens(logger),
      oidc: oidcLogin(settings),
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
