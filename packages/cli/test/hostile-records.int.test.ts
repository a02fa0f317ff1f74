import { deadLetterHeaders as names } from '@loopwatch/contract';
import { readTopic, waitFor } from '@loopwatch/testkit';
import kafkajs from 'kafkajs';
import { expect, inject, it, onTestFinished } from 'vitest';
import { ownTopics, worker } from './worker-runs.ts';

const MB = 1_000_000;

/** Each compresses to a size that a broker accepts. */
const hostile: readonly (readonly [reason: string, message: kafkajs.Message])[] = [
  ['not_json', { key: 'x', value: Buffer.alloc(20 * MB, 'x') }],
  ['not_json', { key: Buffer.alloc(20 * MB, 'k'), value: 'no json' }],
  [
    'not_json',
    {
      key: 'x',
      value: 'no json',
      headers: { a: Buffer.alloc(20 * MB, 'h'), b: 'kept', __proto__: 'kept too' },
    },
  ],
  ['batch_too_large', { key: 'x', value: Buffer.alloc(300 * MB, 'x') }],
  ['too_complex', { key: 'x', value: '['.repeat(2 * MB) + ']'.repeat(2 * MB) }],
];

const loop = Array.from({ length: 6 }, (_, i) => ({
  key: 'after',
  value: JSON.stringify({
    sessionId: 'after',
    type: 'tool_call_request',
    name: 'read_file',
    args: { path: 'a' },
    id: `e-${String(i)}`,
    time: 1_760_000_000_000 + i,
  }),
}));

it('hostile records: each becomes one dead letter within the size limit, and the partition continues', async () => {
  const brokers = inject('kafkaBrokers');
  const { topics, env } = await ownTopics(brokers, 1);
  const kafka = new kafkajs.Kafka({ brokers, logLevel: kafkajs.logLevel.NOTHING });
  const producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
  await producer.connect();
  onTestFinished(() => producer.disconnect());
  const compression = kafkajs.CompressionTypes.GZIP;
  for (const [, message] of hostile)
    await producer.send({ topic: topics.events, compression, messages: [{ ...message, partition: 0 }] });
  await producer.send({ topic: topics.events, messages: loop });

  const running = await worker({ ...env, LOOPWATCH_PRESET: 'stream' });
  const [verdict] = await readTopic(brokers, topics.verdicts, { count: 1 });
  expect(verdict?.key).toBe('after');
  const letters = await readTopic(brokers, topics['dead-letters']);
  expect(letters.map(({ headers }) => [headers[names.code], headers[names.offset]])).toEqual(
    hostile.map(([reason], offset) => [reason, String(offset)]),
  );
  const [value, key, headers, batch, deep] = letters;
  const truncated = letters.map((letter) => JSON.parse(letter.headers[names.truncated] ?? 'null') as unknown);
  expect(truncated).toEqual([
    { key: 1, value: 20 * MB, headers: 0 },
    expect.objectContaining({ key: 20 * MB, value: 7 }),
    expect.objectContaining({ key: 1, value: 7 }),
    null,
    null,
  ]);
  expect(value?.value?.length).toBeGreaterThan(15 * MB);
  expect([key?.value, headers?.headers['b'], batch?.headers[names.lastOffset]]).toEqual([
    'no json',
    'kept',
    '3',
  ]);
  expect(deep?.value?.length).toBe(4 * MB);

  const metrics = await fetch(`http://127.0.0.1:${env.LOOPWATCH_WORKER_PORT}/metrics`);
  const sample = (text: string, name: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(name))
        ?.split(' ')
        .at(-1),
    );
  const text = await metrics.text();
  expect(sample(text, 'loopwatch_dead_letters_total{reason="not_json"}')).toBe(3);
  const lag = async () => sample(await (await fetch(metrics.url)).text(), 'loopwatch_consumer_lag{') === 0;
  await waitFor(lag, { describe: 'a lag of 0' });
  expect(running.stdout.filter((line) => line.includes('restarts from the last commit'))).toEqual([]);
  expect(await running.stop()).toBe(0);
});

it('dead letters: while they cannot be written, the partition waits and reports its lag, then continues', async () => {
  const brokers = inject('kafkaBrokers');
  const { topics, env } = await ownTopics(brokers, 1);
  const kafka = new kafkajs.Kafka({ brokers, logLevel: kafkajs.logLevel.NOTHING });
  const [producer, admin] = [kafka.producer({ allowAutoTopicCreation: false }), kafka.admin()];
  await Promise.all([producer.connect(), admin.connect()]);
  onTestFinished(async () => {
    await Promise.all([producer.disconnect(), admin.disconnect()]);
  });
  const limit = (bytes: number) =>
    admin.alterConfigs({
      validateOnly: false,
      resources: [
        {
          type: kafkajs.ConfigResourceTypes.TOPIC,
          name: topics['dead-letters'],
          configEntries: [{ name: 'max.message.bytes', value: String(bytes) }],
        },
      ],
    });
  await limit(10_000);
  const junk = { key: 'x', value: 'x'.repeat(3 * MB) };
  await producer.send({ topic: topics.events, messages: [...loop.slice(0, 2), junk, ...loop] });
  const running = await worker({ ...env, LOOPWATCH_PRESET: 'stream' });
  const sample = async (name: string) => {
    const text = await (await fetch(`http://127.0.0.1:${env.LOOPWATCH_WORKER_PORT}/metrics`)).text();
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(name))
        ?.split(' ')
        .at(-1),
    );
  };
  await waitFor(async () => (await sample('loopwatch_partition_stuck_seconds{')) >= 10, {
    describe: 'a partition that stands still',
  });
  // Everything before the record is durable, and nothing after it is skipped.
  expect(await sample('loopwatch_consumer_lag{')).toBe(1 + loop.length);
  await limit(1024 * 1024);
  const [letter] = await readTopic(brokers, topics['dead-letters'], { count: 1 });
  expect(letter?.headers).toMatchObject({
    [names.code]: 'not_json',
    [names.offset]: '2',
    [names.truncated]: JSON.stringify({ key: 1, value: 3 * MB, headers: 0 }),
  });
  await readTopic(brokers, topics.verdicts, { count: 1 });
  await waitFor(async () => (await sample('loopwatch_partition_stuck_seconds{')) === 0);
  expect(await sample('loopwatch_dead_letters_total{')).toBe(1);
  expect(await running.stop()).toBe(0);
}, 300_000);
