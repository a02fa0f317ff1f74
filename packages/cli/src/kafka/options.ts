import type { Settings } from '@loopwatch/contract';
import {
  canCompress,
  createKafkaRecordReader,
  createKafkaSink,
  createKafkaTopicReader,
  type KafkaOptions,
  KafkaOutageLog,
  type RecordSink,
  requireRights,
} from '@loopwatch/log';
import type { ServerLog } from '@loopwatch/server';
import type { Logger } from 'pino';
import { UsageError } from '../errors.ts';
import { logFunction } from '../runtime/logger.ts';
import { neededRights } from './rights.ts';
import { kafkaSecurity } from './security.ts';

/** @throws UsageError when no brokers are configured */
export function requireBrokers(settings: Settings): readonly string[] {
  const { brokers } = settings.kafka;
  if (brokers.length > 0) return brokers;
  throw new UsageError(
    'No Kafka brokers are configured. Set them with --brokers host:9092, KAFKA_BROKERS or kafka.brokers; ' +
      'without Kafka, `loopwatch start` runs everything in one process.',
  );
}

/** One per logger, so that an outage is logged once however many clients a process has. */
const outageLogs = new WeakMap<Logger, KafkaOutageLog>();

function outageLog(logger: Logger): KafkaOutageLog {
  const outages = outageLogs.get(logger) ?? new KafkaOutageLog(logFunction(logger));
  outageLogs.set(logger, outages);
  return outages;
}

/** @throws UsageError when no brokers are configured or a credential or certificate file is unusable */
export function kafkaOptions(settings: Settings, logger: Logger): KafkaOptions {
  const outages = outageLog(logger);
  const { compression } = settings.kafka;
  if (!canCompress(compression)) {
    throw new UsageError(
      `kafka.compression: ${compression} requires Node 22.15, and this is ${process.versions.node}. Use lz4, snappy or gzip, or a newer Node`,
    );
  }
  return {
    brokers: requireBrokers(settings),
    clientId: settings.kafka.client_id,
    compression,
    log: outages.log,
    outages,
    ...kafkaSecurity(settings.kafka, Date.now(), outages.log),
  };
}

/** For long-running processes: wait for unavailable brokers without a time limit. */
export function longRunningKafkaOptions(settings: Settings, logger: Logger): KafkaOptions {
  return { ...kafkaOptions(settings, logger), connectTimeoutMs: Number.POSITIVE_INFINITY };
}

/** Readiness of a Kafka consumer, with the current outage if there is one. */
export function kafkaReadiness(
  { connected, detail }: { readonly connected: boolean; readonly detail: string },
  logger: Logger,
): { readonly ok: boolean; readonly detail: string } {
  return { ok: connected, detail: connected ? detail : (outageLog(logger).trouble ?? detail) };
}

export function kafkaSink(settings: Settings, logger: Logger): RecordSink {
  return createKafkaSink(kafkaOptions(settings, logger));
}

/** Milliseconds that an HTTP request waits for Kafka. */
const REQUEST_TIMEOUT_MS = 10_000;

/** The event log of the server; checks the permissions of the Kafka user before the first read. */
export function kafkaServerLog(settings: Settings, logger: Logger): ServerLog {
  const options = longRunningKafkaOptions(settings, logger);
  const rights = neededRights(settings).filter(({ neededBy }) => neededBy.includes('server'));
  let checked: Promise<void> | undefined;
  const check = () => (checked ??= requireRights(options, 'serve the dashboard', rights));
  return {
    kind: 'kafka',
    reader: (topic) => {
      const reader = createKafkaTopicReader({ ...options, topic });
      return {
        run: async (handler, reading) => {
          await check();
          await reader.run(handler, reading);
        },
        stop: () => reader.stop(),
      };
    },
    records: () => createKafkaRecordReader(options),
    sink: () => createKafkaSink({ ...options, deliveryTimeoutMs: REQUEST_TIMEOUT_MS }),
  };
}
