import kafkajs from 'kafkajs';
import { expect, inject, it, onTestFinished } from 'vitest';
import { readTopic, topicEnds, uniqueName } from '../../src/index.ts';

it.each([
  { ends: 'commit', values: ['a', 'b'] },
  { ends: 'abort', values: ['a'] },
] as const)(
  'readTopic: waits for the records of an open transaction until its $ends',
  async ({ ends, values }) => {
    const brokers = inject('kafkaBrokers');
    const kafka = new kafkajs.Kafka({ brokers, logLevel: kafkajs.logLevel.NOTHING });
    const topic = uniqueName('transactional');
    const transactionalId = uniqueName('writer');
    const producer = kafka.producer({ transactionalId, idempotent: true, maxInFlightRequests: 1 });
    await producer.connect();
    onTestFinished(() => producer.disconnect());
    await createTopic(kafka, topic);
    const first = await producer.transaction();
    await first.send({ topic, messages: [{ value: 'a' }] });
    await first.commit();
    expect((await readTopic(brokers, topic)).map(({ value }) => value)).toEqual(['a']);
    const second = await producer.transaction();
    await second.send({ topic, messages: [{ value: 'b' }] });
    const [end] = await topicEnds(kafka, topic);
    // Two records and the marker of the first commit.
    expect(end?.high).toBe('3');
    const reading = readTopic(brokers, topic);
    await second[ends]();
    expect((await reading).map(({ value }) => value)).toEqual(values);
  },
);

async function createTopic(kafka: kafkajs.Kafka, topic: string): Promise<void> {
  const admin = kafka.admin();
  await admin.connect();
  await admin.createTopics({ waitForLeaders: true, topics: [{ topic, numPartitions: 1 }] });
  await admin.disconnect();
}
