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

export function kafkaOptions(settings: Settings, logger: Logger): KafkaOptions {
  return { brokers: requireBrokers(settings), clientId: settings.kafka.client_id, log: logFunction(logger) };
}

export function kafkaSink(settings: Settings, logger: Logger): VerdictSink {
  return createKafkaSink(kafkaOptions(settings, logger));
}

/** The events, shared among the workers of the group. */
export function eventsSource(settings: Settings, logger: Logger): EventSource {
  return createKafkaSource({
    ...kafkaOptions(settings, logger),
    topics: [topicNames(settings.kafka.topics).events],
    groupId: settings.kafka.group,
    partitionsConsumedConcurrently: settings.kafka.partitions_at_once,
    maxBytesPerPartition: 4 * 1024 * 1024,
  });
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
