import { readTopic, startKafkaCluster, type TestCluster, uniqueName } from '@loopwatch/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureTopics } from '../../src/index.ts';
import { listOffset } from '../../src/kafka/fetch/offsets.ts';
import { createKafkaCluster } from '../../src/kafka/internals/cluster.ts';
import { numbered, openSink } from './harness.ts';

describe('a partition whose leader fails', () => {
  let cluster: TestCluster;

  beforeAll(async () => {
    cluster = await startKafkaCluster();
  });
  afterAll(() => cluster.stop());

  it('by freezing: the sink switches to the new leader, without lost or duplicate records', async () => {
    const options = { brokers: cluster.brokers, clientId: 'log-test' };
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

  it('and returns as a follower: end offsets are requested from the new leader', async () => {
    const options = { brokers: cluster.brokers, clientId: 'log-test' };
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
});
