import { type Settings, topicNames } from '@loopwatch/contract';
import {
  createKafkaSink,
  createKafkaSource,
  type EventSource,
  type KafkaOptions,
  type VerdictSink,
} from '@loopwatch/log';
import type { Logger } from 'pino';
import { UsageError } from '../errors.ts';
import { kafkaSecurity } from './kafka-security.ts';
import { logFunction } from './logger.ts';

/** The brokers, or an error that says how to name them. */
export function requireBrokers(settings: Settings): readonly string[] {
  const { brokers } = settings.kafka;
  if (brokers.length > 0) return brokers;
  throw new UsageError(
    'No Kafka brokers are configured. Name them with --brokers host:9092, KAFKA_BROKERS or kafka.brokers; ' +
      'without Kafka, `loopwatch start` runs everything in one process.',
  );
}

/** @throws UsageError when no brokers are named, or a file of the login or of TLS cannot be used */
export function kafkaOptions(settings: Settings, logger: Logger): KafkaOptions {
  return {
    brokers: requireBrokers(settings),
    clientId: settings.kafka.client_id,
    log: logFunction(logger),
    ...kafkaSecurity(settings.kafka),
  };
}

export function kafkaSink(settings: Settings, logger: Logger): VerdictSink {
  return createKafkaSink(kafkaOptions(settings, logger));
}

/** All verdicts from the beginning; a group of its own for each process, which never commits. */
export function verdictsSource(settings: Settings, logger: Logger): EventSource {
  const process_ = `${String(process.pid)}-${String(Date.now())}`;
  return createKafkaSource({
    ...kafkaOptions(settings, logger),
    topics: [topicNames(settings.kafka.topics).verdicts],
    groupId: `${settings.kafka.group}-server-${process_}`,
  });
}
