import { topicNames } from '@loopwatch/contract';
import { ensureTopics, topicSpecs } from '@loopwatch/log';
import type { Command } from 'commander';
import { loadConfig } from '../config/load-config.ts';
import { addConfigOptions, type ConfigOptions } from '../config/options.ts';
import { findDurability } from '../kafka/durability.ts';
import { kafkaOptions } from '../kafka/options.ts';
import { silentLogger } from '../runtime/logger.ts';
import { print, printWarnings } from '../runtime/output.ts';
import { describedCommand } from './summaries.ts';

interface Options extends ConfigOptions {
  readonly brokers?: string;
  readonly partitions?: string;
  readonly replicationFactor?: string;
  readonly check?: boolean;
}

/** `loopwatch topics`: creates or checks the topics. */
export function topicsCommand(): Command {
  const command = describedCommand('topics')
    .option('--brokers <list>', 'comma-separated bootstrap servers, host:port (default: KAFKA_BROKERS)')
    .option('--partitions <n>', 'partitions of new topics (default: 6)')
    .option(
      '--replication-factor <n>',
      'replication factor of new topics (default: 3, or the number of brokers if fewer)',
    )
    .option('--check', 'create nothing; exit 1 if a topic is missing or its settings differ');
  return addConfigOptions(command).action(async (options: Options) => {
    const { settings, warnings } = loadConfig(options, [
      { flag: '--brokers', path: 'kafka.brokers', text: options.brokers },
      { flag: '--partitions', path: 'kafka.partitions', text: options.partitions },
      { flag: '--replication-factor', path: 'kafka.replication_factor', text: options.replicationFactor },
    ]);
    printWarnings(warnings);
    const { partitions, replication_factor: replicationFactor } = settings.kafka;
    const specs = topicSpecs(topicNames(settings.kafka.topics), {
      partitions,
      ...(replicationFactor !== undefined && { replicationFactor }),
    });
    const create = options.check !== true;
    const reports = await ensureTopics({ ...kafkaOptions(settings, silentLogger()), create }, specs);
    for (const { topic, status, details } of reports) {
      print(`${status.padEnd(8)} ${topic}\n`);
      for (const detail of details) print(`         ${detail}\n`);
    }
    const { risks, notes } = await findDurability(settings);
    for (const { risk, advice } of risks) print(`risk     ${risk}\n         ${advice}\n`);
    for (const note of notes) print(`note     ${note}\n`);
    const isHealthy = reports.every(({ status }) => status === 'ok' || status === 'created');
    process.exitCode = isHealthy || create ? 0 : 1;
  });
}
