import {
  readTopic,
  startKafkaCluster,
  type TestCluster,
  type TestNode,
  uniqueName,
  waitFor,
} from '@loopwatch/testkit';
import kafkajs, { type Admin, type Producer } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { checkDurability, type DurabilityRisk, ensureTopics, type KafkaOptions } from '../../src/index.ts';
import { listOffset } from '../../src/kafka/fetch/offsets.ts';
import { createKafkaCluster } from '../../src/kafka/internals/cluster.ts';
import { numbered, openSink } from './harness.ts';

/** The topic of the tests of the cluster itself. */
const RECORDS = 'records';

/** One cluster for all tests that need more than one broker, because each of its three takes as long to start as a test. */
describe('a cluster of three brokers', () => {
  let cluster: TestCluster;
  let options: KafkaOptions;
  let admin: Admin;

  /** A client that retries for as long as a failover takes. */
  const client = (brokers = cluster.brokers) =>
    new kafkajs.Kafka({
      brokers,
      logLevel: kafkajs.logLevel.NOTHING,
      retry: { initialRetryTime: 100, maxRetryTime: 500, retries: 20 },
    });

  const write = (producer: Producer, value: string) =>
    producer.send({ topic: RECORDS, acks: -1, messages: [{ value }] });

  const values = async () => (await readTopic(cluster.direct, RECORDS)).map(({ value }) => value);

  beforeAll(async () => {
    cluster = await startKafkaCluster({ properties: { 'transaction.state.log.min.isr': '1' } });
    options = { brokers: cluster.brokers, clientId: 'log-test' };
    admin = client().admin();
    await admin.connect();
    await admin.createTopics({ waitForLeaders: true, topics: [{ topic: RECORDS, numPartitions: 1 }] });
  });
  afterAll(async () => {
    await admin.disconnect();
    await cluster.stop();
  });

  /** A change of settings reaches one broker after the other. */
  function risksOnce(count: number, topics: readonly string[]) {
    let found: readonly DurabilityRisk[] = [];
    const ask = async () => {
      found = (await checkDurability(options, topics)).risks;
      return found.length === count && found;
    };
    const describe = () => `${count} risks, there are ${JSON.stringify(found)}`;
    return waitFor(ask, { describe });
  }

  it('names the settings that can lose records, and finds none after following its advice', async () => {
    const [sound, risky, lonely] = [uniqueName('sound'), uniqueName('risky'), uniqueName('lonely')];
    const config = { 'min.insync.replicas': '1', 'unclean.leader.election.enable': 'true' };
    await ensureTopics(options, [
      { name: sound, partitions: 1, config: {} },
      { name: risky, partitions: 1, config: {} },
      { name: lonely, partitions: 1, replicationFactor: 1, config: {} },
    ]);
    const alter = (settings: Record<string, string>, name: string) =>
      admin.alterConfigs({
        validateOnly: false,
        resources: [
          {
            type: kafkajs.ConfigResourceTypes.TOPIC,
            name,
            configEntries: Object.entries(settings).map(([key, value]) => ({ name: key, value })),
          },
        ],
      });
    await alter(config, risky);
    const risks = await risksOnce(4, [sound, risky, lonely]);
    expect(risks.map(({ risk }) => risk.slice(0, risk.indexOf(':', risk.indexOf(':') + 1)))).toEqual([
      `${risky}: min.insync.replicas=1`,
      `${risky}: unclean.leader.election.enable=true`,
      `${lonely}: replication factor 1`,
      '__transaction_state: min.insync.replicas=1',
    ]);
    expect(risks[0]?.advice).toBe(
      `Run kafka-configs.sh --bootstrap-server ${cluster.brokers.join(',')} --alter --add-config min.insync.replicas=2 --topic ${risky}`,
    );
    expect(risks[3]?.advice).toContain('set transaction.state.log.min.isr=2 in server.properties');

    await alter({ 'min.insync.replicas': '2', 'unclean.leader.election.enable': 'false' }, risky);
    const producer = client().producer({
      transactionalId: sound,
      idempotent: true,
      maxInFlightRequests: 1,
    });
    await producer.connect();
    const transaction = await producer.transaction();
    await transaction.abort();
    await producer.disconnect();
    const created = await risksOnce(1, [sound, risky]);
    expect(created.map(({ advice }) => advice)).toEqual([
      expect.stringContaining('min.insync.replicas=2 --topic __transaction_state'),
    ]);
    await alter({ 'min.insync.replicas': '2' }, '__transaction_state');
    await risksOnce(0, [sound, risky]);
    expect(await checkDurability(options, [])).toEqual({
      brokers: 3,
      enoughBrokers: true,
      risks: [],
      hidden: [],
    });
  });

  it('a leader that freezes: the sink switches to the new leader, without lost or duplicate records', async () => {
    const topic = uniqueName('frozen');
    await ensureTopics(options, [{ name: topic, partitions: 1, config: {} }]);
    const sink = await openSink(options);
    await sink.publish(numbered(topic, 100));
    const leader = await cluster.leaderOf(topic, 0);
    leader.pause();
    // Its connection stands and its machine answers to nothing: without a limit this would last as long as the freeze.
    await sink.publish(numbered(topic, 100, 100));
    leader.resume();
    await cluster.healed();
    const written = await readTopic(cluster.direct, topic);
    expect(written.map(({ value }) => value)).toEqual(numbered(topic, 200).map(({ value }) => value));
  });

  it('a leader that returns as a follower: end offsets are requested from the new leader', async () => {
    const topic = uniqueName('moved');
    await ensureTopics(options, [{ name: topic, partitions: 1, config: {} }]);
    const sink = await openSink(options);
    await sink.publish(numbered(topic, 10));
    const kafka = createKafkaCluster(options);
    await kafka.connect();
    expect(await listOffset(kafka, topic, 0, false)).toBe(10);
    const leader = await cluster.leaderOf(topic, 0);
    await leader.kill();
    await cluster.leaderOf(topic, 0);
    await leader.start();
    await cluster.healed();
    expect(await listOffset(kafka, topic, 0, false)).toBe(10);
    await kafka.disconnect();
  });

  it('Kafka cluster: a retry after a lost acknowledgement writes the record once', async () => {
    const producer = client().producer({ idempotent: true });
    await producer.connect();
    await write(producer, 'first');
    const { proxy } = await cluster.leaderOf(RECORDS, 0);
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
      const leader = await cluster.leaderOf(RECORDS, 0);
      await down(leader);
      const next = await cluster.leaderOf(RECORDS, 0);
      expect(next.id).not.toBe(leader.id);
      const producer = client([next.proxy.address]).producer();
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
    const producer = client().producer({ idempotent: true, transactionalId, maxInFlightRequests: 1 });
    const asked: string[] = [];
    producer.on(producer.events.REQUEST, ({ payload }) => {
      if (payload.apiName === 'EndTxn') asked.push(payload.broker);
    });
    await producer.connect();
    const transaction = await producer.transaction();
    await transaction.send({ topic: RECORDS, messages: [{ value: 'in a transaction' }] });
    const { proxy } = await cluster.coordinatorOf('transaction', transactionalId);
    await transaction.commit();
    await producer.disconnect();
    expect(asked).toEqual([proxy.address]);
    expect(await values()).toContain('in a transaction');
  });
});

it('checkDurability: a single broker is not enough', async () => {
  const single = { brokers: inject('kafkaBrokers'), clientId: 'log-test' };
  expect(await checkDurability(single, ['any'])).toMatchObject({ brokers: 1, enoughBrokers: false });
});
