import { topicNames } from '@loopwatch/contract';
import { freePort, readTopic, startKafka, type TestKafka, uniqueName, waitFor } from '@loopwatch/testkit';
import kafkajs from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  createKafkaSink,
  createKafkaTaskRunner,
  ensureTopics,
  LogError,
  topicSpecs,
} from '../../src/index.ts';
import { follow, newReader, newTopic, numbered, openSink, publish, shared } from './harness.ts';

describe('Kafka sink and reader', () => {
  it('keep the order of records with the same key', async () => {
    const topic = await newTopic(shared(), { partitions: 3 });
    const { records, batches } = await follow(shared(), topic);
    const sink = await openSink(shared());
    const all = numbered(topic, 3_000);
    const parts = Array.from({ length: 100 }, (_, index) => all.slice(index * 30, index * 30 + 30));
    // None waits for the one before.
    await Promise.all(parts.map((part) => sink.publish(part)));
    await waitFor(() => records.length === all.length, {
      describe: () => `3000 records, ${records.length} came`,
    });
    for (let key = 0; key < 7; key += 1) {
      const ofKey = records
        .filter((record) => String(record.key) === `k-${key}`)
        .map(({ value }) => String(value));
      expect(ofKey).toEqual(all.filter((record) => record.key === `k-${key}`).map(({ value }) => value));
    }
    expect(new Set(batches.map(({ partition }) => partition)).size).toBeGreaterThan(1);
  });

  it('preserve keys, headers, timestamps, tombstones and binary values', async () => {
    const topic = await newTopic(shared());
    const bytes = Buffer.from([0xff, 0, 0x80]);
    const timestamp = Date.now() - 1_000;
    await publish(shared(), [
      { topic, key: bytes, value: bytes, headers: { format: Buffer.from('ag-ui'), odd: bytes }, timestamp },
      { topic, key: 'gone', value: null },
    ]);
    const { records } = await follow(shared(), topic);
    await waitFor(() => records.length === 2);
    const [first, second] = records.map(({ offset, key, value, headers }) => ({
      offset,
      key,
      value,
      headers,
    }));
    expect(first).toEqual({
      offset: 0,
      key: bytes,
      value: bytes,
      headers: { format: Buffer.from('ag-ui'), odd: bytes },
    });
    expect(records[0]?.timestamp).toBe(timestamp);
    expect(second).toEqual({ offset: 1, key: Buffer.from('gone'), value: null, headers: {} });
  });

  it('transfer records of 5 MB and 15 MB between small ones', async () => {
    const topic = await newTopic(shared(), { config: { 'max.message.bytes': String(16 * 1024 * 1024) } });
    const sizes = [10, 5_000_000, 10, 15_000_000, 10];
    const filled = sizes.map((size, index) => Buffer.alloc(size, index));
    await publish(
      shared(),
      filled.map((value) => ({ topic, key: null, value })),
    );
    const { records } = await follow(shared(), topic);
    await waitFor(() => records.length === sizes.length);
    expect(records.map(({ value }, index) => value!.equals(filled[index]!))).toEqual(sizes.map(() => true));
  });

  it.each(['gzip', 'snappy', 'lz4', 'zstd'])('read what a producer compressed with %s', async (codec) => {
    // The broker's own encoder: it compresses again whatever comes in.
    const topic = await newTopic(shared(), { config: { 'compression.type': codec } });
    const all = numbered(topic, 5_000).map((record) => ({
      ...record,
      value: `${record.value as string} `.repeat(20),
    }));
    await publish(shared(), all);
    const { values } = await follow(shared(), topic);
    await waitFor(() => values().length === all.length);
    expect(values()).toEqual(all.map(({ value }) => value));
  });

  it.each(['gzip', 'snappy', 'lz4'] as const)(
    'write with %s, readable by other clients',
    async (compression) => {
      // The broker checks and unpacks it, to store it uncompressed.
      const topic = await newTopic(shared(), { config: { 'compression.type': 'uncompressed' } });
      const sink = createKafkaSink({ ...shared(), compression });
      onTestFinished(() => sink.close());
      await sink.open();
      await sink.publish(numbered(topic, 2_000));
      const read = await readTopic(shared().brokers, topic);
      expect(read.map(({ value }) => value)).toEqual(numbered(topic, 2_000).map(({ value }) => value));
    },
  );

  it('skip records of aborted and open transactions', async () => {
    const topic = await newTopic(shared());
    const kafka = new kafkajs.Kafka({ brokers: [...shared().brokers], logLevel: kafkajs.logLevel.NOTHING });
    const producer = kafka.producer({
      transactionalId: uniqueName('tx'),
      idempotent: true,
      maxInFlightRequests: 1,
    });
    await producer.connect();
    onTestFinished(() => producer.disconnect());
    const send = async (value: string, end: 'commit' | 'abort') => {
      const transaction = await producer.transaction();
      await transaction.send({ topic, messages: [{ value }] });
      await transaction[end]();
    };
    const { values, batches } = await follow(shared(), topic);
    await send('kept', 'commit');
    await send('taken back', 'abort');
    await send('kept too', 'commit');
    await waitFor(() => values().length === 2);
    // Six offsets: three records, each with the marker that ended its transaction.
    await waitFor(() => batches.at(-1)?.next === 6);
    expect(batches.at(-1)?.lag).toBe(0);
    await publish(shared(), [{ topic, key: null, value: 'plain' }]);
    await waitFor(() => values().length === 3);
    expect(values()).toEqual(['kept', 'kept too', 'plain']);
  });
});

describe('Kafka: a start that fails', () => {
  it('names the missing topics and the command that creates them, and creates none', async () => {
    const kafka = shared();
    const topic = uniqueName('missing');
    const [broker] = kafka.brokers;
    await expect(newReader(kafka, topic).run(() => undefined)).rejects.toMatchObject({
      code: 'topic_missing',
      message: `Topic ${topic} does not exist on ${broker!}. Create it with: npx loopwatch topics --brokers ${broker!}`,
    });
    const there = await newTopic(kafka);
    const runner = createKafkaTaskRunner({
      ...kafka,
      groupId: uniqueName('group'),
      delivery: 'exactly_once',
      topics: [topic, there],
      stateTopic: `${topic}-too`,
    });
    onTestFinished(() => runner.stop());
    const open = (): never => {
      throw new Error('it did start');
    };
    await expect(runner.run(open)).rejects.toThrow(
      `Topics ${topic}, ${topic}-too do not exist on ${broker!}. Create them with`,
    );
    const sink = await openSink(kafka);
    await expect(sink.publish([{ topic, key: null, value: 'a' }])).rejects.toMatchObject({
      code: 'topic_missing',
    });
    const [report] = await ensureTopics({ ...kafka, create: false }, [
      { name: topic, partitions: 1, config: {} },
    ]);
    expect(report?.status).toBe('missing');
  });

  it.each(['reader', 'sink', 'topics'] as const)(
    'names the brokers that do not answer (%s)',
    async (what) => {
      const brokers = [`127.0.0.1:${await freePort()}`];
      const kafka = { brokers, clientId: 'log-test', connectTimeoutMs: 1_000 };
      const started = Date.now();
      const starts = {
        reader: () => newReader(kafka, 'loopwatch.events').run(() => undefined),
        sink: () => createKafkaSink(kafka).open(),
        topics: () => ensureTopics(kafka, []),
      };
      const failure: unknown = await starts[what]().catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(LogError);
      expect(failure).toMatchObject({
        code: 'broker_unreachable',
        message: expect.stringContaining(brokers[0]!) as string,
      });
      expect(Date.now() - started).toBeLessThan(5_000);
    },
  );

  it('rejects a record that is too large, but not the others published with it', async () => {
    const topic = await newTopic(shared(), { config: { 'max.message.bytes': '10000' } });
    const sink = await openSink(shared());
    const results = await Promise.allSettled([
      sink.publish([{ topic, key: null, value: 'a' }]),
      sink.publish([{ topic, key: null, value: 'x'.repeat(20_000) }]),
      sink.publish([{ topic, key: null, value: 'b' }]),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(results[1]).toMatchObject({
      reason: { code: 'record_too_large', message: expect.stringContaining(topic) as string },
    });
    await sink.publish([{ topic, key: null, value: 'c' }]);
    expect((await readTopic(shared().brokers, topic)).map(({ value }) => value)).toEqual(['a', 'b', 'c']);
  });
});

describe('Kafka: an unavailable broker', () => {
  let kafka: TestKafka;
  beforeAll(async () => {
    kafka = await startKafka({ own: true, quickStart: true });
  });
  afterAll(() => kafka.stop());

  it('loses no records for reader and sink when it returns after ten seconds', async () => {
    const options = { brokers: kafka.brokers, clientId: 'log-test' };
    const topic = await newTopic(options, { partitions: 2 });
    const links: string[] = [];
    const { reader, values } = await follow(options, topic, (state) => links.push(state));
    const sink = await openSink(options);
    await sink.publish(numbered(topic, 100));
    await waitFor(() => values().length === 100);
    await kafka.stopBroker();
    const stoppedAt = Date.now();
    await waitFor(() => links.includes('down'));
    const meanwhile = sink.publish(numbered(topic, 100, 100));
    await waitFor(() => Date.now() - stoppedAt > 10_000);
    await kafka.startBroker();
    await meanwhile;
    await sink.publish(numbered(topic, 100, 200));
    await waitFor(() => values().length === 300, {
      describe: () => `300 values, ${values().length} came`,
    });
    expect(new Set(values()).size).toBe(300);
    expect(links).toEqual(['up', 'down', 'up']);
    const written = await readTopic(kafka.brokers, topic);
    expect(written).toHaveLength(300);
    await reader.stop();
    await sink.close();
  });

  it('does not prevent a reader from stopping', async () => {
    const options = { brokers: kafka.brokers, clientId: 'log-test' };
    const topic = await newTopic(options);
    const links: string[] = [];
    const { reader } = await follow(options, topic, (state) => links.push(state));
    await kafka.stopBroker();
    await waitFor(() => links.includes('down'));
    const started = Date.now();
    await reader.stop();
    expect(Date.now() - started).toBeLessThan(10_000);
  });
});

describe('ensureTopics', () => {
  it('creates missing topics, accepts them afterwards, and reports differences', async () => {
    const prefix = uniqueName('set');
    const names = topicSpecs({
      events: `${prefix}.events`,
      verdicts: `${prefix}.verdicts`,
      sessions: `${prefix}.sessions`,
      control: `${prefix}.control`,
      checks: `${prefix}.checks`,
      'dead-letters': `${prefix}.dead-letters`,
      state: `${prefix}.state`,
      triage: `${prefix}.triage`,
    });
    const created = await ensureTopics(shared(), names);
    expect(created.map(({ status }) => status)).toEqual(Array(names.length).fill('created'));
    const checked = await ensureTopics(shared(), names);
    expect(checked).toEqual(names.map(({ name }) => ({ topic: name, status: 'ok', details: [] })));
    const changed = names.map((spec) => ({
      ...spec,
      partitions: 8,
      config: { 'cleanup.policy': 'compact' },
    }));
    const [events, , sessions] = await ensureTopics(shared(), changed);
    expect(events).toMatchObject({ topic: `${prefix}.events`, status: 'differs' });
    expect(events?.details[0]).toMatch(/has 6 partitions, 8 expected: add some with kafka-topics\.sh/);
    expect(events?.details[1]).toMatch(
      /cleanup\.policy of .* is delete, compact expected: set it with kafka-configs/,
    );
    expect(sessions?.details).toHaveLength(1);
    const lowered = names.map((spec) => ({ ...spec, inherited: { 'max.message.bytes': '2000000' } }));
    const [, verdicts] = await ensureTopics(shared(), lowered);
    expect(verdicts?.details).toEqual([
      expect.stringMatching(/^max\.message\.bytes of .*\.verdicts is 1048588, 2000000 expected/),
    ]);
  });

  it('expects that no event, verdict or dead letter is compacted, and room for what is written', () => {
    const expected = topicSpecs(topicNames({ prefix: 'x.' })).map(({ name, config, inherited }) => {
      const { 'cleanup.policy': cleanup, 'max.message.bytes': bytes } = { ...inherited, ...config };
      return [name, cleanup, Number(bytes) / 1024 / 1024];
    });
    expect(expected).toEqual([
      ['x.events', 'delete', 16],
      ['x.verdicts', 'delete', 1],
      ['x.sessions', 'compact', 1],
      ['x.control', 'compact', 1],
      ['x.triage', 'compact', 1],
      ['x.checks', 'compact', 1],
      ['x.dead-letters', 'delete', 17],
      ['x.state', 'compact', 4],
    ]);
  });

  it('names the topic and the reason when the cluster rejects it', async () => {
    const name = uniqueName('refused');
    const spec = { name, partitions: 1, replicationFactor: 5, config: {} };
    await expect(ensureTopics(shared(), [spec])).rejects.toMatchObject({
      code: 'request_failed',
      message: expect.stringContaining(name) as string,
    });
  });
});
