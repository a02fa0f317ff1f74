import { open, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { deadLetterHeaders as names } from '@loopwatch/contract';
import { readTopic, startKafkaCluster, waitFor } from '@loopwatch/testkit';
import kafkajs from 'kafkajs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ownTopics, worker } from './worker-runs.ts';

const LENGTH_AT = 8;
const MAGIC_AT = 16;
const CHECKSUM_AT = 17;
const ATTRIBUTES_AT = 21;
const RECORDS_AT = 61;

const crc32c = createRequire(import.meta.url)('kafkajs/src/protocol/recordBatch/crc32C/index.js') as (
  bytes: Buffer,
) => number;

/** Changes bytes of a batch as it is on the broker's disk. */
type Damage = (batch: Buffer) => void;

const flip = (batch: Buffer, at: number) => batch.writeUInt8(batch.readUInt8(at) ^ 0x10, at);
const seal = (batch: Buffer) => batch.writeInt32BE(crc32c(batch.subarray(ATTRIBUTES_AT)) | 0, CHECKSUM_AT);

/** What the dead letter says, and the damage, of the second to the last but one batch. */
const damages: readonly (readonly [says: RegExp, damage: Damage])[] = [
  [
    /its checksum is wrong, so it was damaged on the disk of the broker/,
    (batch) => flip(batch, batch.length - 20),
  ],
  [
    /compressed with gzip is damaged/,
    (batch) => {
      batch.fill(0xff, RECORDS_AT + 12, RECORDS_AT + 30);
      seal(batch);
    },
  ],
  [
    /its compression 7 is unknown/,
    (batch) => {
      batch.writeInt16BE(7, ATTRIBUTES_AT);
      seal(batch);
    },
  ],
  [/its format is version 9/, (batch) => batch.writeInt8(9, MAGIC_AT)],
  [/its checksum is wrong/, (batch) => batch.writeInt32BE(0, CHECKSUM_AT)],
];
/** Records in each batch. */
const RECORDS = 3;

function calls(batch: number): kafkajs.Message[] {
  return Array.from({ length: RECORDS }, (_, i) => ({
    key: 'looping',
    value: JSON.stringify({
      sessionId: 'looping',
      type: 'tool_call_request',
      name: 'read_file',
      args: { path: 'a' },
      id: `e-${String(batch * RECORDS + i)}`,
      time: 1_760_000_000_000 + batch * RECORDS + i,
    }),
  }));
}

let cluster: Awaited<ReturnType<typeof startKafkaCluster>>;
beforeAll(async () => {
  cluster = await startKafkaCluster({ nodes: 1 });
});
afterAll(() => cluster.stop());

/** Damages the batches of a partition on the disk of the broker, which does not run. */
async function damage(topic: string): Promise<void> {
  const [node] = cluster.nodes;
  const path = join(node?.data ?? '', `${topic}-0`, `${'0'.repeat(20)}.log`);
  const bytes = await readFile(path);
  await using file = await open(path, 'r+');
  let at = 0;
  for (let number = 0; at < bytes.length; number += 1) {
    const batch = bytes.subarray(at, at + LENGTH_AT + 4 + bytes.readInt32BE(at + LENGTH_AT));
    damages[number - 1]?.[1](batch);
    await file.write(batch, 0, batch.length, at);
    at += batch.length;
  }
}

const deliveries = ['exactly_once', 'at_least_once'] as const;

it('batches damaged on the disk of a broker: each becomes one dead letter, and the partition continues', async () => {
  const [node] = cluster.nodes;
  const kafka = new kafkajs.Kafka({ brokers: cluster.direct, logLevel: kafkajs.logLevel.NOTHING });
  const producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
  await producer.connect();
  const labs = await Promise.all(deliveries.map(() => ownTopics(cluster.brokers, 1)));
  const compression = kafkajs.CompressionTypes.GZIP;
  for (const { topics } of labs)
    for (let batch = 0; batch < damages.length + 2; batch += 1)
      await producer.send({ topic: topics.events, compression, messages: calls(batch) });
  await producer.disconnect();
  await node?.stop();
  for (const { topics } of labs) await damage(topics.events);
  await node?.start();

  const workers = await Promise.all(
    labs.map(({ env }, i) =>
      worker({ ...env, LOOPWATCH_PRESET: 'stream', LOOPWATCH_KAFKA_DELIVERY: deliveries[i] ?? '' }),
    ),
  );
  for (const [i, { topics, env }] of labs.entries()) {
    const options = { count: damages.length };
    const letters = await readTopic(cluster.direct, topics['dead-letters'], options);
    expect(
      letters.map(({ headers }) => [headers[names.code], headers[names.offset], headers[names.lastOffset]]),
    ).toEqual(
      damages.map((_, number) => [
        'unreadable_batch',
        String((number + 1) * RECORDS),
        String((number + 2) * RECORDS - 1),
      ]),
    );
    for (const [number, [says]] of damages.entries())
      expect(letters[number]?.headers[names.message]).toMatch(says);
    const metrics = async () => (await fetch(`http://127.0.0.1:${env.LOOPWATCH_WORKER_PORT}/metrics`)).text();
    await waitFor(async () => /loopwatch_consumer_lag\{.*\} 0$/m.test(await metrics()), {
      describe: 'a lag of 0',
    });
    expect(await metrics()).toContain(
      `loopwatch_dead_letters_total{reason="unreadable_batch"} ${String(damages.length)}`,
    );
    // What follows the damage continues the loop that began before it.
    const verdicts = await readTopic(cluster.direct, topics.verdicts);
    const counts = verdicts.map(({ value }) => (JSON.parse(value ?? '') as { count: number }).count);
    expect(Math.max(...counts)).toBeGreaterThan(RECORDS);
    const output = workers[i]?.stdout.join('\n') ?? '';
    expect(output).toContain(`Record ${topics.events}/0@${String(RECORDS)} rejected as a dead letter`);
    expect(output).not.toContain('restarts from the last commit');
    expect(await workers[i]?.stop()).toBe(0);
  }
});
