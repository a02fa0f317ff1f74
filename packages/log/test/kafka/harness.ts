import { uniqueName } from '@loopwatch/testkit';
import { inject, onTestFinished } from 'vitest';
import {
  createKafkaSink,
  createKafkaTopicReader,
  ensureTopics,
  type KafkaOptions,
  type LogRecord,
  type OutputRecord,
  type RecordSink,
  type TaskBatch,
  type TopicReader,
} from '../../src/index.ts';

/** The broker all integration tests share. */
export const shared = (): KafkaOptions => ({ brokers: inject('kafkaBrokers'), clientId: 'log-test' });

/** A new topic with settings of the test's choice. */
export async function newTopic(
  kafka: KafkaOptions,
  { partitions = 1, config = {} }: { partitions?: number; config?: Record<string, string> } = {},
): Promise<string> {
  const name = uniqueName('log');
  await ensureTopics(kafka, [{ name, partitions, replicationFactor: 1, config }]);
  return name;
}

/** What to do about a step that was not committed: nothing. The task restarts, or has ended with its test. */
export function restarts(): void {
  // The next attempt commits it.
}

export async function openSink(kafka: KafkaOptions): Promise<RecordSink> {
  const sink = createKafkaSink(kafka);
  onTestFinished(() => sink.close());
  await sink.open();
  return sink;
}

export async function publish(kafka: KafkaOptions, records: readonly OutputRecord[]): Promise<void> {
  const sink = await openSink(kafka);
  await sink.publish(records);
  await sink.close();
}

export const numbered = (topic: string, count: number, from = 0): OutputRecord[] =>
  Array.from({ length: count }, (_, index) => ({
    topic,
    key: `k-${index % 7}`,
    value: String(from + index),
  }));

export interface Followed {
  readonly reader: TopicReader;
  readonly records: LogRecord[];
  readonly batches: TaskBatch[];
  readonly values: () => string[];
}

/** A reader that is stopped after the test, at the latest. */
export function newReader(options: KafkaOptions, topic: string): TopicReader {
  const reader = createKafkaTopicReader({ ...options, topic });
  onTestFinished(() => reader.stop());
  return reader;
}

/** Everything there is in a topic, and what comes. */
export async function follow(
  options: KafkaOptions,
  topic: string,
  onConnection: (state: 'up' | 'down') => void = () => undefined,
): Promise<Followed> {
  const records: LogRecord[] = [];
  const batches: TaskBatch[] = [];
  const reader = newReader(options, topic);
  await reader.run(
    (batch) => {
      batches.push(batch);
      records.push(...batch.records);
    },
    { resolveWhen: 'started', onConnection },
  );
  return { reader, records, batches, values: () => records.map(({ value }) => String(value)) };
}
