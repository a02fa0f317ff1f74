import { createServer } from '@loopwatch/server';
import { openDatabase, traceDatabase } from '@loopwatch/storage';
import type { Command } from 'commander';
import { loadConfig } from '../config/load-config.ts';
import { addConfigOptions, type ConfigOptions } from '../config/options.ts';
import { logDurability } from '../kafka/durability.ts';
import { kafkaServerLog, requireBrokers } from '../kafka/options.ts';
import { debugOnSignal } from '../runtime/debug-signal.ts';
import { listenFailure } from '../runtime/http.ts';
import { version } from '../runtime/installation.ts';
import { exitWhenStorageLost, runUntilSignal, untilStarted } from '../runtime/lifecycle.ts';
import { observe } from '../runtime/observability.ts';
import { serverDeps } from '../server/server-deps.ts';
import { describedCommand } from './summaries.ts';

interface Options extends ConfigOptions {
  readonly brokers?: string;
  readonly port?: string;
  readonly dataDir?: string;
  readonly allowAnonymous?: true;
}

/** `loopwatch server`: dashboard, API and live updates, from the topics in Kafka. */
export function serverCommand(): Command {
  const command = describedCommand('server')
    .option('--brokers <list>', 'comma-separated bootstrap servers, host:port (default: KAFKA_BROKERS)')
    .option('--port <n>', 'port of dashboard, API and metrics (default: 4600)')
    .option(
      '--data-dir <dir>',
      'folder of the embedded database, unless DATABASE_URL is set (default: .loopwatch)',
    )
    .option('--allow-anonymous', 'allow access without a login when other machines can reach the server');
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
    ]);
    const { settings, warnings } = loaded;
    requireBrokers(settings);
    const { logger, telemetry, createRegistry } = await observe(settings, 'server');
    debugOnSignal(logger);
    for (const warning of warnings) logger.warn(warning);
    const server = createServer({
      ...serverDeps(loaded, logger),
      log: kafkaServerLog(settings, logger),
      openDatabase: async () =>
        traceDatabase(await openDatabase(settings.storage, logger, exitWhenStorageLost(logger))),
      registry: createRegistry(),
      readiness: () => Promise.resolve({}),
    });
    try {
      const { url } = await untilStarted(server.start(), logger);
      logger.info({ url, version }, `Loopwatch ${version} is at ${url}`);
      void logDurability(settings, logger);
    } catch (error) {
      throw listenFailure(error, settings.server.port);
    }
    await runUntilSignal([server, telemetry], logger);
  });
}
