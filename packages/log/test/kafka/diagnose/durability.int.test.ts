import { startKafkaCluster, type TestCluster, uniqueName, waitFor } from '@loopwatch/testkit';
import kafkajs, { type Admin } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { checkDurability, type DurabilityRisk, ensureTopics, type KafkaOptions } from '../../../src/index.ts';

describe('checkDurability', () => {
  let cluster: TestCluster;
  let options: KafkaOptions;
  let admin: Admin;
  const kafka = () => new kafkajs.Kafka({ brokers: cluster.brokers, logLevel: kafkajs.logLevel.NOTHING });

  beforeAll(async () => {
    cluster = await startKafkaCluster({
      properties: {
        'transaction.state.log.min.isr': '1',
      },
    });
    options = { brokers: cluster.brokers, clientId: 'log-test' };
    admin = kafka().admin();
    await admin.connect();
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
    return waitFor(ask, { timeoutMs: 20_000, describe });
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
    const producer = kafka().producer({
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
});

it('checkDurability: a single broker is not enough', async () => {
  const single = { brokers: inject('kafkaBrokers'), clientId: 'log-test' };
  expect(await checkDurability(single, ['any'])).toMatchObject({ brokers: 1, enoughBrokers: false });
});
