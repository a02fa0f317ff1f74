import kafkajs from 'kafkajs';
import { uniqueName } from '../names.ts';
import { DEFAULT_TIMEOUT_MS, waitFor } from '../wait-for.ts';
import { topicEnds } from './topic-ends.ts';

/** A record in the form that tests need. */
export interface TopicRecord {
  readonly partition: number;
  readonly offset: number;
  readonly timestamp: number;
  readonly key: string | null;
  readonly value: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

export interface ReadTopicOptions {
  /**
   * Waits until there are at least this many records. Default: the records present at the start, those of open
   * transactions included, which are waited for and returned if they are committed.
   */
  readonly count?: number;
  /** Default 180,000. */
  readonly timeoutMs?: number;
}

/**
 * Reads a topic from its beginning, committed records only, in the order of each partition.
 *
 * @throws Error with the number of records, when fewer than `count` arrive in time.
 */
export async function readTopic(
  brokers: readonly string[],
  topic: string,
  { count, timeoutMs = DEFAULT_TIMEOUT_MS }: ReadTopicOptions = {},
): Promise<TopicRecord[]> {
  const kafka = new kafkajs.Kafka({ brokers: [...brokers], logLevel: kafkajs.logLevel.NOTHING });
  const admin = kafka.admin();
  const groupId = uniqueName('read-topic');
  const consumer = kafka.consumer({ groupId, maxWaitTimeInMs: 50, allowAutoTopicCreation: false });
  const records: TopicRecord[] = [];
  /** Next offset by partition, including transaction markers, which are not returned. */
  const passed = new Map<number, number>();
  await admin.connect();
  try {
    const ends = (await topicEnds(kafka, topic)).filter(({ high, low }) => Number(high) > Number(low));
    if (ends.length === 0 && count === undefined) return [];
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    consumer.on(consumer.events.END_BATCH_PROCESS, ({ payload }) => {
      passed.set(payload.partition, Number(payload.lastOffset) + 1);
    });
    await consumer.run({
      autoCommit: false,
      eachBatch: async ({ batch }) => {
        records.push(...batch.messages.map((message) => toRecord(batch.partition, message)));
        await Promise.resolve();
      },
    });
    const complete = () =>
      count === undefined
        ? ends.every(({ partition, high }) => (passed.get(partition) ?? 0) >= Number(high))
        : records.length >= count;
    const expected = count === undefined ? 'all records' : `${count} records`;
    await waitFor(complete, {
      timeoutMs,
      describe: () => `${expected} of ${topic}, there are ${records.length}`,
    });
    return records;
  } finally {
    await consumer.disconnect();
    await admin.deleteGroups([groupId]).catch(() => undefined);
    await admin.disconnect();
  }
}

function toRecord(partition: number, message: kafkajs.KafkaMessage): TopicRecord {
  const headers = Object.entries(message.headers ?? {}).map(([name, value]) => [name, String(value)]);
  return {
    partition,
    offset: Number(message.offset),
    timestamp: Number(message.timestamp),
    key: message.key?.toString() ?? null,
    value: message.value?.toString() ?? null,
    headers: Object.fromEntries(headers) as Record<string, string>,
  };
}
