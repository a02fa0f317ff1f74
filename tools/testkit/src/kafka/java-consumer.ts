import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import kafkajs from 'kafkajs';
import { uniqueName } from '../names.ts';
import { waitFor } from '../wait-for.ts';
import { requireJars } from './kafka-runner.ts';
import type { TopicRecord } from './read-topic.ts';
import { topicEnds } from './topic-ends.ts';

const run = promisify(execFile);

const fieldEnd = '\u0001';
const headerEnd = '\u0002';
const nothing = '\u0003';
const MOST_BYTES = 1024 * 1024 * 1024;
/**
 * Reading ends after this long without a record, also before the first, if the end is not reached: a busy machine takes its
 * time to join the group.
 */
const QUIET_MS = 15_000;
/** Its status when it is told to end, which it does after reporting what it has read. */
const TERMINATED = 143;

/**
 * Reads a topic from its beginning with Kafka's Java consumer: committed records only, in the order of each
 * partition. Texts must not have line breaks. Takes some seconds.
 *
 * kafkajs expects the aborted transactions of a fetch in the order of their begin, but brokers list them in the order of
 * their end. With several producers per partition kafkajs therefore returns records that were never committed.
 *
 * @throws Error with the consumer's output when it fails
 */
export async function readWithJava(brokers: readonly string[], topic: string): Promise<TopicRecord[]> {
  const jars = await requireJars();
  const shown = ['print.timestamp', 'print.partition', 'print.offset', 'print.headers', 'print.key'];
  const properties = [
    ...shown.map((name) => `${name}=true`),
    `key.separator=${fieldEnd}`,
    `headers.separator=${headerEnd}`,
    `null.literal=${nothing}`,
  ];
  const group = uniqueName('java-consumer');
  const running = run(
    'java',
    [
      ...['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-cp', join(jars, '*')],
      ...['org.apache.kafka.tools.consumer.ConsoleConsumer', '--bootstrap-server', brokers.join(',')],
      ...['--topic', topic, '--from-beginning', '--isolation-level', 'read_committed'],
      ...['--timeout-ms', String(QUIET_MS), '--group', group],
      ...['--consumer-property', 'auto.commit.interval.ms=200'],
      ...properties.flatMap((property) => ['--property', property]),
    ],
    { maxBuffer: MOST_BYTES },
  );
  const reading = { isOver: false };
  const read = running
    .catch((error: unknown) => {
      const ended = error as Awaited<typeof running> & { readonly code: unknown };
      if (ended.code === TERMINATED) return ended;
      throw error;
    })
    .finally(() => {
      reading.isOver = true;
    });
  const [{ stdout, stderr }] = await Promise.all([
    read,
    passedAll(brokers, topic, group, () => reading.isOver).then(() => running.child.kill('SIGTERM')),
  ]);
  const records = stdout.split('\n').filter((line) => line.includes(fieldEnd));
  const reported = /Processed a total of (\d+) messages/.exec(stderr)?.[1];
  if (Number(reported) !== records.length) {
    throw new Error(
      `Kafka's consumer read ${reported} records of ${topic}, of which ${records.length} were understood:\n${stderr}`,
    );
  }
  return records.map(toRecord);
}

/** Waits until a group has passed everything that is in the topic, aborted records and markers included. */
async function passedAll(
  brokers: readonly string[],
  topic: string,
  group: string,
  isOver: () => boolean,
): Promise<void> {
  const kafka = new kafkajs.Kafka({ brokers: [...brokers], logLevel: kafkajs.logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  try {
    await waitFor(async () => {
      if (isOver()) return true;
      const ends = await topicEnds(kafka, topic);
      // A broker is not at once the coordinator of a new group.
      const [found] = await admin.fetchOffsets({ groupId: group, topics: [topic] }).catch(() => []);
      const passed = new Map(found?.partitions.map(({ partition, offset }) => [partition, Number(offset)]));
      return ends.every(({ partition, high }) => (passed.get(partition) ?? -1) >= Number(high));
    });
  } finally {
    await admin.disconnect();
  }
}

/** `CreateTime:1\u0001Partition:0\u0001Offset:5\u0001name:text\u0002name:text\u0001key\u0001value` */
function toRecord(line: string): TopicRecord {
  const [timestamp = '', partition = '', offset = '', headers = '', key = '', ...value] =
    line.split(fieldEnd);
  return {
    timestamp: numberIn(timestamp),
    partition: numberIn(partition),
    offset: numberIn(offset),
    headers: Object.fromEntries(headers.split(headerEnd).flatMap(toHeader)),
    key: textOf(key),
    value: textOf(value.join(fieldEnd)),
  };
}

function numberIn(field: string): number {
  return Number(field.slice(field.indexOf(':') + 1));
}

function toHeader(field: string): [string, string][] {
  const colon = field.indexOf(':');
  return colon === -1 ? [] : [[field.slice(0, colon), field.slice(colon + 1)]];
}

function textOf(field: string): string | null {
  return field === nothing ? null : field;
}
