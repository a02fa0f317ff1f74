import { topicNames } from '@loopwatch/contract';
import type { LogFunction } from '@loopwatch/platform';
import { readTopic, uniqueName, waitFor } from '@loopwatch/testkit';
import kafkajs from 'kafkajs';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import {
  createKafkaRecordReader,
  createKafkaSink,
  createKafkaTaskRunner,
  createKafkaTopicReader,
  ensureTopics,
  type LogRecord,
  type Recovery,
  topicSpecs,
} from '../../../src/index.ts';
import { KafkaFetcher } from '../../../src/kafka/fetch/fetcher.ts';
import { createKafkaCluster } from '../../../src/kafka/internals/cluster.ts';
import { restarts } from '../harness.ts';

const brokers = inject('kafkaBrokers');
const client = { brokers, clientId: 'test' };
type Delivery = 'exactly_once' | 'at_least_once';

async function topics() {
  const names = topicNames({ prefix: `${uniqueName('tasks')}.` });
  await ensureTopics(client, topicSpecs(names, { partitions: 1, replicationFactor: 1 }));
  return names;
}

async function write(topic: string, ...values: string[]): Promise<void> {
  const sink = createKafkaSink(client);
  await sink.open();
  await sink.publish(values.map((value) => ({ topic, key: 'k', value })));
  await sink.close();
}

async function writeTo(topic: string, partition: number, value: string): Promise<void> {
  const producer = new kafkajs.Kafka({ ...client, logLevel: kafkajs.logLevel.NOTHING }).producer();
  await producer.connect();
  await producer.send({ topic, messages: [{ key: 'k', partition, value }] });
  await producer.disconnect();
}

async function openAdmin(): Promise<kafkajs.Admin> {
  const admin = new kafkajs.Kafka({ ...client, logLevel: kafkajs.logLevel.NOTHING }).admin();
  onTestFinished(() => admin.disconnect());
  await admin.connect();
  return admin;
}

async function commitByHand(groupId: string, topic: string, position: object): Promise<void> {
  const cluster = createKafkaCluster(client);
  onTestFinished(() => cluster.disconnect());
  await cluster.connect();
  const coordinator = await cluster.findGroupCoordinator({ groupId });
  const topics = [{ topic, partitions: [position] }];
  await coordinator.offsetCommit({ groupId, memberId: '', groupGenerationId: -1, topics });
}

/** Deletes a topic and creates it again, empty. */
async function recreate(topic: string): Promise<void> {
  const admin = await openAdmin();
  await admin.deleteTopics({ topics: [topic] });
  const again = { topics: [{ topic, numPartitions: 1 }], waitForLeaders: false };
  await waitFor(() => admin.createTopics(again).catch(() => false));
  // The broker tells clients of it a moment later.
  const isKnown = () =>
    admin.fetchTopicMetadata({ topics: [topic] }).then(
      ({ topics }) => topics.every(({ partitions }) => partitions.every(({ leader }) => leader >= 0)),
      () => false,
    );
  await waitFor(isKnown);
}

/** Runs a task that counts: it tells each record with its number, and keeps the number it has reached. */
async function count(
  names: Awaited<ReturnType<typeof topics>>,
  groupId: string,
  delivery: Delivery,
  log?: LogFunction,
) {
  const recoveries: Recovery[] = [];
  const replayed: string[] = [];
  const runner = createKafkaTaskRunner({
    ...client,
    ...(log !== undefined && { log }),
    groupId,
    delivery,
    topics: [names.events],
    stateTopic: names.state,
    sessionTimeoutMs: 6_000,
  });
  let told = 0;
  await runner.run(
    (_, lane) => {
      let number = 0;
      const task = {
        restore: ({ value }: { value: string }) => {
          number = Number(value);
        },
        replay: ({ records }: { records: readonly LogRecord[] }) => {
          replayed.push(...records.map(({ value }) => String(value)));
          return Promise.resolve();
        },
        ready: () => undefined,
        process: ({ records, next }: { records: readonly LogRecord[]; next: number }) => {
          const outputs = records.map(({ value }) => {
            number += 1;
            return { topic: names.verdicts, key: 'k', value: `${String(value)}${number}` };
          });
          const state = [{ key: 'number', value: String(number) }];
          const step = { position: next, resumeFrom: Math.max(0, next - 1), outputs, state };
          void lane.commit(step).then(() => {
            told += outputs.length;
          }, restarts);
          return Promise.resolve();
        },
        close: () => undefined,
      };
      return task;
    },
    { onRecovered: (recovery) => recoveries.push(recovery) },
  );
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= runner.stop());
  onTestFinished(stop);
  return { runner, stop, recoveries, replayed, told: (enough: number) => waitFor(() => told >= enough) };
}

describe.each<Delivery>(['exactly_once', 'at_least_once'])('KafkaTaskRunner, %s', (delivery) => {
  it('tasks resume where the previous ones stopped, with their saved state', async () => {
    const names = await topics();
    const groupId = uniqueName('group');
    await write(names.events, 'a', 'b', 'c');
    const first = await count(names, groupId, delivery);
    await first.told(3);
    await first.stop();
    await write(names.events, 'd');
    const second = await count(names, groupId, delivery);
    await second.told(1);
    expect(second.recoveries).toMatchObject([{ restored: 1, replayed: 1, position: 3 }]);
    expect(second.replayed).toEqual(['c']);
    await second.stop();
    const outputs = await readTopic(brokers, names.verdicts, { count: 4 });
    expect(outputs.map(({ value }) => String(value))).toEqual(['a1', 'b2', 'c3', 'd4']);
  });

  it('tasks write although the wall clock is hours ahead, when brokers refuse its time', async () => {
    const names = await topics();
    await write(names.events, 'a', 'b', 'c');
    const now = Date.now.bind(Date);
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + 8 * 3_600_000);
    onTestFinished(() => clock.mockRestore());
    const { told, stop } = await count(names, uniqueName('group'), delivery);
    await told(3);
    await stop();
    const outputs = await readTopic(brokers, names.verdicts, { count: 3 });
    expect(outputs.map(({ value, timestamp }) => [value, timestamp])).toEqual([
      ['a1', -1],
      ['b2', -1],
      ['c3', -1],
    ]);
  });

  it('tasks process records of 5 MB and 15 MB between small ones', async () => {
    const names = await topics();
    const sizes = [10, 5_000_000, 10, 15_000_000, 10];
    const written = sizes.map((size, i) => String(i).repeat(size));
    await write(names.events, ...written);
    const lengths: number[] = [];
    const runner = createKafkaTaskRunner({
      ...client,
      groupId: uniqueName('group'),
      delivery,
      topics: [names.events],
      stateTopic: names.state,
    });
    onTestFinished(() => runner.stop());
    await runner.run((_, lane) => ({
      restore: () => undefined,
      replay: () => Promise.resolve(),
      ready: () => undefined,
      process: ({ records, next }) => {
        lengths.push(...records.map(({ value }) => value?.length ?? -1));
        void lane.commit({ position: next, resumeFrom: next, outputs: [], state: [] }).catch(restarts);
        return Promise.resolve();
      },
      close: () => undefined,
    }));
    await waitFor(() => lengths.length === sizes.length);
    expect(lengths).toEqual(sizes);
  });

  it('tasks start at an offset set by hand, and discard the saved state', async () => {
    const names = await topics();
    const groupId = uniqueName('group');
    await write(names.events, 'a', 'b', 'c');
    const first = await count(names, groupId, delivery);
    await first.told(3);
    await first.stop();
    const admin = await openAdmin();
    const partitions = [{ partition: 0, offset: '1' }];
    await admin.setOffsets({ groupId, topic: names.events, partitions });
    const second = await count(names, groupId, delivery);
    await second.told(2);
    expect(second.recoveries).toMatchObject([{ restored: 0, replayed: 0, position: 1 }]);
    await second.stop();
    const outputs = await readTopic(brokers, names.verdicts, { count: 5 });
    expect(outputs.map(({ value }) => String(value)).slice(3)).toEqual(['b1', 'c2']);
  });

  it('tasks read a topic that was deleted and created again from its beginning, without the saved state', async () => {
    const names = await topics();
    const groupId = uniqueName('group');
    await write(names.events, 'a', 'b', 'c');
    const running = await count(names, groupId, delivery);
    await running.told(3);
    await recreate(names.events);
    await write(names.events, 'd');
    await running.told(4);
    await running.stop();
    await recreate(names.events);
    await write(names.events, 'e', 'f');
    // As a step would that was committed just after the topic was deleted.
    const metadata = JSON.stringify({ v: 1, resumeFrom: 1, topicId: 'of the topic before' });
    await commitByHand(groupId, names.events, { partition: 0, offset: '1', metadata });
    const second = await count(names, groupId, delivery);
    await second.told(2);
    await second.stop();
    const outputs = await readTopic(brokers, names.verdicts, { count: 6 });
    expect(outputs.map(({ value }) => String(value))).toEqual(['a1', 'b2', 'c3', 'd1', 'e1', 'f2']);
  });

  it('positions count what an open transaction holds back, and say so', async () => {
    const names = await topics();
    await write(names.events, 'a');
    const { told, runner, stop } = await count(names, uniqueName('group'), delivery);
    await told(1);
    const kafka = new kafkajs.Kafka({ ...client, logLevel: kafkajs.logLevel.NOTHING });
    const producer = kafka.producer({
      transactionalId: uniqueName('open'),
      maxInFlightRequests: 1,
      idempotent: true,
    });
    onTestFinished(() => producer.disconnect());
    await producer.connect();
    const transaction = await producer.transaction();
    await transaction.send({ topic: names.events, messages: [{ value: 'b' }] });
    await write(names.events, 'c');
    const place = { topic: names.events, partition: 0 };
    const held = await waitFor(async () => {
      const [one] = await runner.positions();
      return one?.end === 3 && one;
    });
    const waitsFor = expect.stringMatching(
      /^a producer has not ended its transaction, which began at offset 1;/,
    );
    expect(held).toEqual({ ...place, position: 1, end: 3, waitsFor });
    await transaction.commit();
    await told(3);
    // The record that ends the transaction is one, too.
    await waitFor(async () => (await runner.positions())[0]?.end === 4);
    expect((await runner.positions())[0]?.waitsFor).toBeUndefined();
    await stop();
  });

  it('tasks tell how many records were deleted before they were read', async () => {
    const names = await topics();
    const groupId = uniqueName('group');
    await write(names.events, 'a');
    const first = await count(names, groupId, delivery);
    await first.told(1);
    await first.stop();
    await write(names.events, 'b', 'c', 'd');
    const admin = await openAdmin();
    // It needs the topic's metadata, and does not ask for it.
    await admin.fetchTopicOffsets(names.events);
    await admin.deleteTopicRecords({ topic: names.events, partitions: [{ partition: 0, offset: '3' }] });
    const logged: string[] = [];
    const second = await count(names, groupId, delivery, (_, message) => logged.push(message));
    await second.told(1);
    await second.stop();
    expect(logged).toContain('2 records were deleted from the topic before they were read');
    const outputs = await readTopic(brokers, names.verdicts, { count: 2 });
    expect(outputs.map(({ value }) => String(value))).toEqual(['a1', 'd2']);
  });
});

describe('KafkaTopicReader', () => {
  it('resolves after reading all existing records, then continues with new ones', async () => {
    const { control } = await topics();
    await write(control, 'a', 'b');
    const reader = createKafkaTopicReader({ ...client, topic: control });
    const read: string[] = [];
    onTestFinished(() => reader.stop());
    await reader.run(({ records }) => {
      read.push(...records.map(({ value }) => String(value)));
    });
    expect(read).toEqual(['a', 'b']);
    await write(control, 'c');
    await waitFor(() => read.length === 3);
    expect(read).toEqual(['a', 'b', 'c']);
  });

  it('starts at the given offset, and retries records whose handler failed', async () => {
    const { control } = await topics();
    await write(control, 'a', 'b', 'c');
    const reader = createKafkaTopicReader({ ...client, topic: control });
    onTestFinished(() => reader.stop());
    const read: string[] = [];
    const states: string[] = [];
    let failed = false;
    await reader.run(
      ({ records }) => {
        if (!failed) {
          failed = true;
          throw new Error('not now');
        }
        read.push(...records.map(({ value }) => String(value)));
      },
      {
        from: (_, bounds) => {
          expect(bounds).toEqual({ start: 0, end: 3, topicId: expect.stringMatching(/^[0-9a-f]{32}$/) });
          return 1;
        },
        onConnection: (state) => states.push(state),
      },
    );
    expect(read).toEqual(['b', 'c']);
    expect(states).toEqual(['up']);
  });

  it('reads partitions that are added, and a topic that is created again, from their beginning', async () => {
    const { control } = await topics();
    await write(control, 'a', 'b');
    const reader = createKafkaTopicReader({ ...client, topic: control, newPartitionsMs: 100 });
    onTestFinished(() => reader.stop());
    const read: string[] = [];
    await reader.run(({ records, partition }) => {
      read.push(...records.map(({ value }) => `${partition}${String(value)}`));
    });
    const admin = await openAdmin();
    await admin.createPartitions({ topicPartitions: [{ topic: control, count: 2 }] });
    await writeTo(control, 1, 'c');
    await waitFor(() => read.includes('1c'));
    await recreate(control);
    await writeTo(control, 0, 'd');
    await waitFor(() => read.includes('0d'));
    expect(read).toEqual(['0a', '0b', '1c', '0d']);
  });

  it('reads a topic that is created again, with more records than before, from its beginning', async () => {
    const { control } = await topics();
    await write(control, 'a', 'b');
    const reader = createKafkaTopicReader({ ...client, topic: control });
    onTestFinished(() => reader.stop());
    const read: string[] = [];
    await reader.run(({ records }) => {
      read.push(...records.map(({ value }) => String(value)));
    });
    for (const again of ['1', '2', '3']) {
      await recreate(control);
      const values = ['c', 'd', 'e', 'f'].map((value) => value + again);
      await write(control, ...values);
      await waitFor(() => read.includes(`f${again}`));
      expect(read.splice(0)).toEqual(again === '1' ? ['a', 'b', ...values] : values);
    }
  });

  it('KafkaFetcher starts over in a topic that was created again since an offset was asked for', async () => {
    const { control } = await topics();
    await write(control, 'a', 'b', 'c');
    const cluster = createKafkaCluster(client);
    onTestFinished(() => cluster.disconnect());
    await cluster.connect();
    const fetcher = new KafkaFetcher(cluster, {
      maxWaitMs: 100,
      maxBytes: 1_000_000,
      maxBytesPerPartition: 1_000_000,
      log: undefined,
      resumeAt: (_, { start }) => Promise.resolve(start),
    });
    onTestFinished(() => fetcher.close());
    const stream = await fetcher.open(control, 0, 2, 'of the topic before');
    expect((await stream.next())?.records.map(({ value }) => String(value))).toEqual(['a', 'b', 'c']);
  });

  it('KafkaRecordReader looks records up by offset', async () => {
    const { control } = await topics();
    await write(control, 'a', 'b', 'c');
    const records = createKafkaRecordReader(client);
    onTestFinished(() => records.close());
    const topicPartition = { topic: control, partition: 0 };
    expect(await records.bounds(topicPartition)).toEqual({ start: 0, end: 3 });
    const { records: found, next } = await records.read(topicPartition, 1, 10);
    expect(found.map(({ value }) => String(value))).toEqual(['b', 'c']);
    expect(next).toBe(3);
    expect(await records.read(topicPartition, 3, 5)).toEqual({ records: [], next: 3 });
  });

  it('names the missing topic', async () => {
    const reader = createKafkaTopicReader({ ...client, topic: uniqueName('nowhere') });
    onTestFinished(() => reader.stop());
    await expect(reader.run(() => undefined)).rejects.toMatchObject({ code: 'topic_missing' });
  });
});
