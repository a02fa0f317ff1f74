import { uniqueName } from '@loopwatch/testkit';
import { inject, onTestFinished } from 'vitest';
import {
  type BatchHandler,
  createKafkaSink,
  createKafkaSource,
  type EventSource,
  ensureTopics,
  type KafkaOptions,
  type KafkaSourceOptions,
  type LogRecord,
  type OutputRecord,
  type RecordBatch,
  type SourceObserver,
  type VerdictSink,
} from '../src/index.ts';

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

export async function openSink(kafka: KafkaOptions): Promise<VerdictSink> {
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

/** A source that is stopped after the test, at the latest. */
export function newSource(
  options: KafkaOptions & Partial<KafkaSourceOptions> & { topics: string[] },
): EventSource {
  const source = createKafkaSource({ groupId: uniqueName('group'), sessionTimeoutMs: 6_000, ...options });
  onTestFinished(() => source.stop());
  return source;
}

export interface Followed {
  readonly records: LogRecord[];
  readonly batches: RecordBatch[];
  readonly values: () => string[];
}

/** Everything a source delivers, committed as it comes unless a handler is given. */
export async function follow(
  source: EventSource,
  handler: BatchHandler = (batch) => batch.commit(),
  observer: SourceObserver = {},
): Promise<Followed> {
  const records: LogRecord[] = [];
  const batches: RecordBatch[] = [];
  await source.run(async (batch) => {
    batches.push(batch);
    await handler(batch);
    records.push(...batch.records);
  }, observer);
  return { records, batches, values: () => records.map(({ value }) => String(value)) };
}
