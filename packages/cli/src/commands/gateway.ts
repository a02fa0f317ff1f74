import { messageOf, topicNames } from '@loopwatch/contract';
import { createKafkaTopicReader, LogError } from '@loopwatch/log';
import { openDatabase, traceDatabase } from '@loopwatch/storage';
import type { Command } from 'commander';
import { loadConfig } from '../config/load-config.ts';
import { addConfigOptions, type ConfigOptions } from '../config/options.ts';
import { UsageError } from '../errors.ts';
import { gatewaySettings, startGateway } from '../gateway/start-gateway.ts';
import { kafkaOptions, kafkaSink } from '../kafka/options.ts';
import { debugOnSignal } from '../runtime/debug-signal.ts';
import { openDataDir } from '../runtime/embedded-log.ts';
import { type Running, runUntilSignal, untilStarted } from '../runtime/lifecycle.ts';
import { observe } from '../runtime/observability.ts';
import { describedCommand } from './summaries.ts';

interface Options extends ConfigOptions {
  readonly upstream?: string;
  readonly port?: string;
  readonly dataDir?: string;
  readonly brokers?: string;
  readonly preset?: string;
  readonly store: boolean;
}

/** `loopwatch gateway`: a proxy for model APIs that stops loops. */
export function gatewayCommand(): Command {
  const command = describedCommand('gateway')
    .option('--upstream <url>', 'base URL of the model API, ending in /v1')
    .option('--port <n>', 'port of proxy, health and metrics (default: 4610)')
    .option(
      '--data-dir <dir>',
      'folder of its database, unless DATABASE_URL is set, and of the event log without brokers (default: .loopwatch)',
    )
    .option(
      '--brokers <list>',
      'Kafka for events and verdicts: comma-separated bootstrap servers, host:port (default: KAFKA_BROKERS)',
    )
    .option('--preset <name>', 'detection preset (default: proxy)')
    .option('--no-store', 'keep sessions in memory only: no database and, without brokers, no event log');
  return addConfigOptions(command).action(async (options: Options) => {
    const loaded = loadConfig(options, [
      { flag: '--upstream', path: 'gateway.upstream', text: options.upstream },
      { flag: '--port', path: 'gateway.port', text: options.port },
      { flag: '--data-dir', path: 'storage.data_dir', text: options.dataDir },
      { flag: '--brokers', path: 'kafka.brokers', text: options.brokers },
      { flag: '--preset', path: 'gateway.preset', text: options.preset },
    ]);
    const settings = gatewaySettings(loaded);
    if (settings.gateway.upstream === undefined)
      throw new UsageError(
        'No upstream is configured. Set it with --upstream https://api.openai.com/v1, gateway.upstream or ' +
          'LOOPWATCH_GATEWAY_UPSTREAM.',
      );
    const observability = await observe(settings, 'gateway');
    const { logger, telemetry } = observability;
    debugOnSignal(logger);
    for (const warning of loaded.warnings) logger.warn(warning);
    const parts: Running[] = [];
    const topics = topicNames(settings.kafka.topics);
    const open = async () => traceDatabase(await openDatabase(settings.storage, logger));
    const storage = options.store ? { openDatabase: open } : {};
    if (!options.store)
      logger.warn(
        'Sessions and messages are kept in memory only (--no-store): they are lost when this process exits',
      );
    if (settings.kafka.brokers.length > 0) {
      const reading = { ...kafkaOptions(settings, logger), topic: topics.control };
      const gatewayStorage = {
        sink: kafkaSink(settings, logger),
        control: () => createKafkaTopicReader(reading),
        ...storage,
      };
      parts.push(await untilStarted(startGateway(settings, gatewayStorage, observability), logger));
    } else if (!options.store) {
      parts.push(await untilStarted(startGateway(settings, {}, observability), logger));
    } else {
      const log = await openDataDir(settings, topics, logger).catch((error: unknown) => {
        throw new LogError(
          error instanceof LogError ? error.code : 'storage_failed',
          `${messageOf(error)}\nWith --no-store the gateway needs no data folder: it proxies and detects loops, and stores nothing.`,
          { cause: error },
        );
      });
      const closing = { stop: () => log.close() };
      const gatewayStorage = { sink: log.sink(), control: () => log.reader(topics.control), ...storage };
      try {
        parts.push(
          await untilStarted(startGateway(settings, gatewayStorage, observability), logger),
          closing,
        );
      } catch (error) {
        await log.close();
        throw error;
      }
    }
    await runUntilSignal([...parts, telemetry], logger, settings.gateway.drain_seconds * 1_000);
  });
}
