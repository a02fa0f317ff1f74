import { produceWithJava, readWithJava, uniqueName, waitFor } from '@loopwatch/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { canCompress } from '../../../src/index.ts';
import { fetchFrom } from '../../../src/kafka/fetch/fetch-request.ts';
import { RecordDecoder } from '../../../src/kafka/fetch/record-decoder.ts';
import { createKafkaCluster } from '../../../src/kafka/internals/cluster.ts';
import { TransactionalStepWriter } from '../../../src/kafka/task/step-writer.ts';
import { follow, newTopic, publish, shared } from '../harness.ts';

const ATTRIBUTES_AT = 21;
const CODEC_MASK = 0x07;
const CONTROL_MASK = 0x20;
const HEADER_BYTES = 61;
const MIB = 1024 * 1024;

/** Numbers that look random and are the same in every run. */
function* noise(): Generator<number> {
  for (let state = 1; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state;
  }
}

/** What packs well, what packs badly and what does not pack at all, some MB of it. */
function values(): string[] {
  const random = noise();
  const word = () => random.next().value!.toString(36);
  const events = Array.from({ length: 4_000 }, (_, i) =>
    JSON.stringify({
      sessionId: `s-${i % 50}`,
      type: 'content',
      text: `${word()} and then again ${word()}`,
      i,
    }),
  );
  const dense = Array.from({ length: 40 }, () => Array.from({ length: 3_000 }, word).join(''));
  const sparse = Array.from({ length: 10 }, (_, i) => String(i).repeat(100_000));
  return [...events, ...dense, ...sparse, ''];
}

describe.each([
  { compression: 'none', number: 0 },
  { compression: 'gzip', number: 1 },
  { compression: 'snappy', number: 2 },
  { compression: 'lz4', number: 3 },
  { compression: 'zstd', number: 4 },
] as const)('data that Java compressed with $compression', ({ compression, number }) => {
  it('is read unchanged in large batches', async () => {
    const topic = await newTopic(shared());
    const written = values();
    await produceWithJava({ brokers: shared().brokers, topic, values: written, compression });

    const { values: followed } = await follow(shared(), topic);
    await waitFor(() => followed().length >= written.length);
    expect(followed()).toEqual(written);

    const { records, batches } = await fetchAll(topic);
    expect(records).toEqual(written);
    expect(new Set(batches.map(({ codec }) => codec))).toEqual(new Set([number]));
    // Many times a block of each of these formats.
    expect(Math.max(...batches.map(({ records: count }) => count))).toBeGreaterThan(2_000);
  });
});

describe.each([
  { compression: 'none', number: 0 },
  { compression: 'gzip', number: 1 },
  { compression: 'snappy', number: 2 },
  { compression: 'lz4', number: 3 },
  ...(canCompress('zstd') ? [{ compression: 'zstd', number: 4 } as const] : []),
] as const)('records written with $compression', ({ compression, number }) => {
  const texts = values().slice(0, 2_000);

  it('can be read by Java', async () => {
    const topic = await newTopic(shared());
    await publish(
      { ...shared(), compression },
      texts.map((value) => ({ topic, key: 'k', value })),
    );
    const read = await readWithJava(shared().brokers, topic);
    expect(read.map(({ value }) => value)).toEqual(texts);
    const { batches } = await fetchAll(topic);
    expect(new Set(batches.map(({ codec }) => codec))).toEqual(new Set([number]));
  });
});

// The codecs are those of the sink.
it('compressed records can be part of a transaction', async () => {
  const texts = values().slice(0, 2_000);
  const names = { in: await newTopic(shared()), out: await newTopic(shared()) };
  const writer = new TransactionalStepWriter(
    { ...shared(), compression: 'lz4' },
    {
      topicPartition: { topic: names.in, partition: 0 },
      groupId: uniqueName('group'),
      state: { records: () => [] },
    },
  );
  onTestFinished(() => writer.close());
  await writer.open();
  const outputs = texts.map((value) => ({ topic: names.out, key: 'k', value }));
  await writer.write({ position: 1, resumeFrom: 1, outputs, state: [] });
  const read = await readWithJava(shared().brokers, names.out);
  expect(read.map(({ value }) => value)).toEqual(texts);
  const { batches } = await fetchAll(names.out);
  expect(new Set(batches.map(({ codec }) => codec))).toEqual(new Set([3]));
});

interface Batch {
  readonly codec: number;
  readonly records: number;
}

/** A whole topic of one partition as the workers read it, with the batches it lies in. */
async function fetchAll(topic: string): Promise<{ records: string[]; batches: Batch[] }> {
  const cluster = createKafkaCluster(shared());
  onTestFinished(() => cluster.disconnect());
  await cluster.connect();
  await cluster.addMultipleTargetTopics([topic]);
  const [{ leader } = { leader: -1 }] = cluster.findTopicPartitionMetadata(topic);
  const broker = await cluster.findBroker({ nodeId: leader });
  const records: string[] = [];
  const batches: Batch[] = [];
  for (let offset = 0; ; ) {
    const limits = { maxWaitMs: 100, maxBytes: 16 * MIB, maxBytesPerPartition: 4 * MIB };
    const [fetched] = await fetchFrom(broker, [{ topic, partition: 0, offset }], limits);
    const bytes = fetched?.bytes ?? Buffer.alloc(0);
    const decoded = await new RecordDecoder(bytes, offset, [], `${topic}/0`).take();
    if (decoded.next === offset) return { records, batches };
    records.push(...decoded.records.map(({ value }) => String(value)));
    batches.push(...batchesIn(bytes));
    offset = decoded.next;
  }
}

function batchesIn(bytes: Buffer): Batch[] {
  const found: Batch[] = [];
  for (let at = 0; at + HEADER_BYTES <= bytes.length; at += 12 + bytes.readInt32BE(at + 8)) {
    const attributes = bytes.readInt16BE(at + ATTRIBUTES_AT);
    // The mark of a commit is never compressed.
    if ((attributes & CONTROL_MASK) !== 0) continue;
    found.push({ codec: attributes & CODEC_MASK, records: bytes.readInt32BE(at + 57) });
  }
  return found;
}
