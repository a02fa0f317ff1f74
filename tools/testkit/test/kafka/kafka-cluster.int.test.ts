import kafkajs, { type Producer } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTopic, startKafkaCluster, type TestCluster, type TestNode, waitFor } from '../../src/index.ts';

const topic = 'records';

describe('startKafkaCluster with three nodes', () => {
  let cluster: TestCluster;

  const kafka = (brokers = cluster.brokers) =>
    new kafkajs.Kafka({
      brokers,
      logLevel: kafkajs.logLevel.NOTHING,
      retry: { initialRetryTime: 100, maxRetryTime: 500, retries: 20 },
    });

  const write = (producer: Producer, value: string) =>
    producer.send({ topic, acks: -1, messages: [{ value }] });

  const values = async () => (await readTopic(cluster.direct, topic)).map(({ value }) => value);

  beforeAll(async () => {
    cluster = await startKafkaCluster();
    const admin = kafka().admin();
    await admin.connect();
    await admin.createTopics({ waitForLeaders: true, topics: [{ topic, numPartitions: 1 }] });
    await admin.disconnect();
  });

  afterAll(() => cluster.stop());

  it('Kafka cluster: a retry after a lost acknowledgement writes the record once', async () => {
    const producer = kafka().producer({ idempotent: true });
    await producer.connect();
    await write(producer, 'first');
    const { proxy } = await cluster.leaderOf(topic, 0);
    proxy.pause('replies');
    const second = write(producer, 'second');
    await waitFor(async () => (await values()).length === 2);
    // The record is written, but its producer does not know and has to resend it.
    proxy.cut();
    proxy.resume();
    await second;
    await write(producer, 'third');
    await producer.disconnect();
    expect(await values()).toEqual(['first', 'second', 'third']);
  });

  it.each<{ what: string; down: (node: TestNode) => unknown; up: (node: TestNode) => unknown }>([
    { what: 'killed', down: (node) => node.kill(), up: (node) => node.start() },
    {
      what: 'frozen',
      down: (node) => {
        node.pause();
      },
      up: (node) => {
        node.resume();
      },
    },
  ])(
    'Kafka cluster: elects another leader when a node is $what, and the node rejoins',
    async ({ what, down, up }) => {
      await cluster.healed();
      const leader = await cluster.leaderOf(topic, 0);
      await down(leader);
      const next = await cluster.leaderOf(topic, 0);
      expect(next.id).not.toBe(leader.id);
      const producer = kafka([next.proxy.address]).producer();
      await producer.connect();
      await write(producer, `while one was ${what}`);
      await producer.disconnect();
      await up(leader);
      await cluster.healed();
      expect(await values()).toContain(`while one was ${what}`);
    },
  );

  it('Kafka cluster: finds the coordinator of a transaction', async () => {
    const transactionalId = 'a-transaction-of-the-test';
    const producer = kafka().producer({ idempotent: true, transactionalId, maxInFlightRequests: 1 });
    const asked: string[] = [];
    producer.on(producer.events.REQUEST, ({ payload }) => {
      if (payload.apiName === 'EndTxn') asked.push(payload.broker);
    });
    await producer.connect();
    const transaction = await producer.transaction();
    await transaction.send({ topic, messages: [{ value: 'in a transaction' }] });
    const { proxy } = await cluster.coordinatorOf('transaction', transactionalId);
    await transaction.commit();
    await producer.disconnect();
    expect(asked).toEqual([proxy.address]);
    expect(await values()).toContain('in a transaction');
  });
});
