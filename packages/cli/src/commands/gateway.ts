import { messageOf, topicNames } from '@loopwatch/contract';
import { createKafkaTopicReader, LogError } from '@loopwatch/log';
import { openDatabase } from '@loopwatch/storage';
import { Command } from 'commander';
import { loadConfig } from '../config/load-config.ts';
import { addConfigOptions, type ConfigOptions } from '../config/options.ts';
import { UsageError } from '../errors.ts';
import { openDataDir } from '../runtime/embedded.ts';
import { gatewaySettings, startGateway } from '../runtime/gateway.ts';
import { kafkaOptions, kafkaSink } from '../runtime/kafka.ts';
import { type Running, runUntilSignal, untilStarted } from '../runtime/lifecycle.ts';
import { createLogger } from '../runtime/logger.ts';

interface Options extends ConfigOptions {
  readonly upstream?: string;
  readonly port?: string;
  readonly dataDir?: string;
  readonly brokers?: string;
  readonly preset?: string;
  readonly store: boolean;
}

/** `loopwatch gateway`: the proxy before a model's API that stops loops. */
export function gatewayCommand(): Command {
  const command = new Command('gateway')
    .description('passes requests to models on and stops loops in them; clients change their base URL')
    .option('--upstream <url>', 'the API that requests go on to, up to and with /v1')
    .option('--port <n>', 'the API, health and metrics (default: 4610)')
    .option(
      '--data-dir <dir>',
      'where its database lies, unless DATABASE_URL names one, and without brokers the event log (default: .loopwatch)',
    )
    .option(
      '--brokers <list>',
      'Kafka for events and verdicts: comma-separated bootstrap servers, host:port (default: KAFKA_BROKERS)',
    )
    .option('--preset <name>', 'detection preset (default: proxy)')
    .option('--no-store', 'no database, and without brokers no event log: sessions are in memory alone');
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
        'No upstream is configured. Name it with --upstream https://api.openai.com/v1, gateway.upstream or ' +
          'LOOPWATCH_GATEWAY_UPSTREAM.',
      );
    const logger = createLogger(settings.log, 'gateway');
    for (const warning of loaded.warnings) logger.warn(warning);
    const parts: Running[] = [];
    const topics = topicNames(settings.kafka.topics);
    const storage = options.store ? { openDatabase: () => openDatabase(settings.storage, logger) } : {};
    if (!options.store)
      logger.warn(
        'Sessions and messages are not stored (--no-store): they are in memory alone, until this process ends',
      );
    if (settings.kafka.brokers.length > 0) {
      const reading = { ...kafkaOptions(settings, logger), topic: topics.control };
      const ends = {
        sink: kafkaSink(settings, logger),
        control: () => createKafkaTopicReader(reading),
        ...storage,
      };
      parts.push(await untilStarted(startGateway(settings, ends, logger), logger));
    } else if (!options.store) {
      parts.push(await untilStarted(startGateway(settings, {}, logger), logger));
    } else {
      const log = await openDataDir(settings, topics, logger).catch((error: unknown) => {
        throw new LogError(
          error instanceof LogError ? error.code : 'storage_failed',
          `${messageOf(error)}\nWith --no-store the gateway needs no folder: it proxies and judges, and stores nothing.`,
          { cause: error },
        );
      });
      const closing = { stop: () => log.close() };
      const ends = { sink: log.sink(), control: () => log.reader(topics.control), ...storage };
      try {
        parts.push(await untilStarted(startGateway(settings, ends, logger), logger), closing);
      } catch (error) {
        await log.close();
        throw error;
      }
    }
    await runUntilSignal(parts, logger);
  });
}
