import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensureTopics } from '@loopwatch/log';
import {
  pythonWith,
  readTopic,
  type SchemaRegistry,
  spawnCli,
  startSchemaRegistry,
  startTcpProxy,
  waitFor,
} from '@loopwatch/testkit';
import kafkajs from 'kafkajs';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { ownTopics, worker } from '../worker-runs.ts';

const run = promisify(execFile);
const file = (name: string) => join(import.meta.dirname, name);
const CALLS = 12;
const sessions = ['avro-session', 'json-session', 'proto-session'];

describe('a topic whose values name schemas of a registry', () => {
  let brokers: string[] = [];
  let registry: SchemaRegistry | undefined;
  let python = '';
  beforeAll(async () => {
    brokers = inject('kafkaBrokers');
    [registry, python] = await Promise.all([startSchemaRegistry(), pythonWith(file('requirements.txt'))]);
  });
  afterAll(() => registry?.stop());

  /** A source topic of the test's own, and what writes to it. */
  async function source() {
    if (registry === undefined) throw new Error('the registry has not started');
    const { topics, env } = await ownTopics(brokers);
    const topic = topics.events.replace('events', 'encoded');
    await ensureTopics({ brokers, clientId: 'test' }, [{ name: topic, partitions: 3, config: {} }]);
    const proxy = await startTcpProxy(registry.host);
    onTestFinished(() => proxy.close());
    const kafka = new kafkajs.Kafka({ brokers, logLevel: kafkajs.logLevel.NOTHING });
    const producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
    await producer.connect();
    onTestFinished(() => producer.disconnect());
    const settings = {
      ...env,
      LOOPWATCH_KAFKA_SOURCES: JSON.stringify({ [topic]: {} }),
      LOOPWATCH_LOG_FORMAT: 'json',
    };
    const withRegistry = {
      ...settings,
      LOOPWATCH_KAFKA_SCHEMA_REGISTRY_URL: `http://${proxy.address}${registry.path}`,
    };
    const { url } = registry;
    /** Writes one session in each encoding with Confluent's serializers. */
    const produce = (calls: number) =>
      run(python, [file('produce.py'), url, brokers.join(','), topic, String(calls)]);
    const send = (value: Buffer) => producer.send({ topic, messages: [{ key: 'k', value }] });
    return { topics, topic, proxy, settings, withRegistry, produce, send };
  }

  /** Once as many events are written as were produced, all of them, as JSON. */
  async function eventsOf(topic: string, count: number) {
    const written = await readTopic(brokers, topic, { count });
    return written.map(({ value }) => JSON.parse(value ?? '') as Record<string, unknown>);
  }

  /** How often work on a partition of a worker has restarted. */
  async function interruptions(port: string): Promise<number> {
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return Number(/^loopwatch_partition_interruptions_total (\d+)/m.exec(metrics)?.[1] ?? 0);
  }

  it('is decoded in all encodings, and leads to verdicts', async () => {
    const { topics, withRegistry, produce, send } = await source();
    await produce(CALLS);
    await send(Buffer.from(JSON.stringify({ sessionId: 'plain', type: 'content', text: 'Hello' })));
    const running = await worker(withRegistry);
    const events = await eventsOf(topics.events, 3 * CALLS + 1);
    expect(events.filter(({ callId }) => callId === 'call-0')).toHaveLength(3);
    for (const sessionId of sessions) {
      expect(events).toContainEqual({
        sessionId,
        type: 'tool_call_request',
        callId: 'call-0',
        name: 'read_file',
        args: { path: 'a.txt', line: 7 },
        durationNanos: '9007199254740993',
      });
    }
    await waitFor(async () => {
      const found = new Set((await readTopic(brokers, topics.verdicts)).map(({ key }) => key));
      return sessions.every((session) => found.has(session));
    });
    expect(await readTopic(brokers, topics['dead-letters'])).toEqual([]);
    expect(await running.stop()).toBe(0);
  });

  it('is checked by `loopwatch doctor`, with the schemas of each encoding', async () => {
    const { topic, proxy, withRegistry, produce } = await source();
    await produce(1);
    const encodings = ['avro', 'json', 'proto', 'plain'].map((name) => `${topic}-${name}`);
    const sources = JSON.stringify(Object.fromEntries(encodings.map((name) => [name, {}])));
    const doctor = async () => {
      const process = spawnCli(['doctor'], { ...withRegistry, LOOPWATCH_KAFKA_SOURCES: sources });
      await process.exited;
      return process.stdout.filter((line) => /schema/.test(line));
    };
    const { LOOPWATCH_KAFKA_SCHEMA_REGISTRY_URL: url } = withRegistry;
    expect(await doctor()).toEqual([
      `ok    schema registry at ${url} answers`,
      ...encodings.slice(0, 3).map((name) => `ok    the schema of ${name}-value is usable`),
      expect.stringContaining(`ok    the schema registry has no subject ${topic}-plain-value`),
    ]);
    await proxy.close();
    expect(await doctor()).toEqual([
      `FAIL  schema registry at ${url}`,
      expect.stringMatching(/^ +The schema registry at .* is not available: .*ECONNREFUSED/),
    ]);
  });

  it('waits for a registry that is not available, and loses nothing', async () => {
    const { topics, proxy, withRegistry, produce, send } = await source();
    await produce(2);
    const running = await worker(withRegistry);
    await eventsOf(topics.events, 6);
    await running.stop();
    await proxy.close();
    await produce(CALLS);
    const next = await worker(withRegistry);
    await next.line(/The schema registry at .* is not available: .*ECONNREFUSED/);
    await waitFor(async () => (await interruptions(withRegistry.LOOPWATCH_WORKER_PORT)) >= 5);
    await proxy.open();
    const events = await eventsOf(topics.events, 6 + 3 * CALLS);
    await next.line(/The schema registry at .* is available again/);
    expect(events).toHaveLength(6 + 3 * CALLS);
    await send(Buffer.from('last'));
    const letters = await readTopic(brokers, topics['dead-letters'], { count: 1 });
    expect(letters.map(({ value }) => value)).toEqual(['last']);
    expect(await next.stop()).toBe(0);
    const lines = [...next.stdout, ...next.stderr].filter((line) => line.includes('is not available'));
    expect(lines).toHaveLength(1);
  });

  it('ends while the registry is not available', async () => {
    const { proxy, withRegistry, produce } = await source();
    await produce(1);
    await proxy.close();
    const running = await worker(withRegistry);
    await running.line(/The schema registry at .* is not available/);
    expect(await running.stop()).toBe(0);
  });

  it('sets aside values of unknown schemas, and values that do not fit theirs', async () => {
    const { topics, topic, withRegistry, produce, send } = await source();
    await produce(1);
    const unknown = Buffer.from([0, 0x7f, 0, 0, 1, 2, 3]);
    // The id of the Avro schema, which is the first, and nothing that fits it.
    const broken = Buffer.from([0, 0, 0, 0, 1, 0x7f]);
    await send(unknown);
    await send(broken);
    const running = await worker(withRegistry);
    const letters = await readTopic(brokers, topics['dead-letters'], { count: 2 });
    expect(letters.map(({ value, headers }) => [value, headers['loopwatch-error-code']])).toEqual(
      [unknown, broken].map((bytes) => [bytes.toString(), 'undecodable']),
    );
    expect(letters.map(({ headers }) => headers['loopwatch-error-message'])).toEqual([
      'the schema registry does not know the schema with id 2130706433',
      expect.stringContaining('the value does not fit its schema, id 1: '),
    ]);
    expect(letters[0]?.headers['loopwatch-topic']).toBe(topic);
    expect(await eventsOf(topics.events, 3)).toHaveLength(3);
    expect(await running.stop()).toBe(0);
  });

  it('becomes dead letters without a registry, which say what to set', async () => {
    const { topics, settings, produce } = await source();
    await produce(1);
    const running = await worker(settings);
    const letters = await readTopic(brokers, topics['dead-letters'], { count: 3 });
    for (const { headers } of letters)
      expect(headers['loopwatch-error-message']).toContain('Set kafka.schema_registry.url');
    expect(await running.stop()).toBe(0);
  });
});
