import { sessionSummarySchema, verdictSchema } from '@loopwatch/contract';
import { readTopic, spawnCli, uniqueName, waitFor } from '@loopwatch/testkit';
import kafkajs from 'kafkajs';
import { beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { fileOf, interleavedSamples, ownTopics, publishedIds, replayed, worker } from './worker-runs.ts';

describe('worker on a real broker', () => {
  let brokers: string[] = [];
  beforeAll(() => {
    brokers = inject('kafkaBrokers');
  });

  it('worker: publishes the verdicts of a replay of the same events', async () => {
    const { topics, env } = await ownTopics(brokers);
    const file = await fileOf(interleavedSamples());
    const expected = await replayed(file);
    expect(expected.length).toBeGreaterThan(10);
    const produce = spawnCli(['produce', file], env);
    expect(await produce.exited, produce.stderr.join('\n')).toBe(0);
    const running = await worker(env);
    const ids = await publishedIds(brokers, topics.verdicts, expected.length);
    expect(await running.stop()).toBe(0);
    expect(ids.toSorted()).toEqual(expected.toSorted());
    // Nothing more came while it stopped.
    expect(await readTopic(brokers, topics.verdicts)).toHaveLength(expected.length);
    const told = (await readTopic(brokers, topics.sessions)).map(({ value }) =>
      sessionSummarySchema.parse(JSON.parse(value ?? '')),
    );
    const latest = new Map(told.map(({ sessionId, verdicts }) => [sessionId, verdicts]));
    expect([...latest.values()].reduce((sum, verdicts) => sum + verdicts, 0)).toBe(expected.length);
  });

  it('loopwatch produce: says how many events it has sent when it is interrupted', async () => {
    const { env, topics } = await ownTopics(brokers);
    const file = await fileOf(interleavedSamples());
    const produce = spawnCli(['produce', file, '-', '--rate', '100'], env);
    await readTopic(brokers, topics.events, { count: 20 });
    expect(await produce.stop('SIGINT')).toBe(130);
    const sent = /^(\d+) events sent to /.exec(produce.stderr.at(-1) ?? '')?.[1];
    expect(await readTopic(brokers, topics.events)).toHaveLength(Number(sent));
  });

  it('worker: sends every kind of bad record to the dead letter topic', async () => {
    const { topics, env } = await ownTopics(brokers, 1);
    const kafka = new kafkajs.Kafka({ brokers, logLevel: kafkajs.logLevel.NOTHING });
    const producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
    await producer.connect();
    onTestFinished(() => producer.disconnect());
    const call = { sessionId: 's', type: 'tool_call_request', name: 'read_file' };
    const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
    const good = [
      `{"sessionId":"s","type":"tool_call_request","name":"deep","args":{"a":${deep}}}`,
      '{"sessionId":"s","type":"tool_call_request","name":"p","args":{"__proto__":{"x":1},"constructor":2}}',
      '{"sessionId":"s","type":"content","text":"a lone \\ud800 surrogate"}',
      '{"sessionId":"s","type":"not_known_yet","anything":[1]}',
      JSON.stringify({ sessionId: 'big', type: 'content', text: 'x y '.repeat(1_250_000) }),
      JSON.stringify({ ...call, time: 8.6e15 }),
      ...Array.from({ length: 5 }, (_, i) =>
        JSON.stringify({ ...call, args: { path: 'a' }, time: 8.6e15 + i }),
      ),
      JSON.stringify({ ...call, time: 1 }),
    ];
    const bad = [
      'no json',
      '[1,2]',
      '{"sessionId":"s","type":"content","text":5}',
      '{"sessionId":"s","type":"tool_call_request","name":"x","args":7}',
      '{"type":"content","text":"of nobody"}',
      Buffer.from([0xff, 0xfe, 0x00]),
      null,
    ];
    const order = good.flatMap((value, i) => [value, bad[i]]).filter((value) => value !== undefined);
    for (const value of order) {
      const headers = { trace: 'abc' };
      await producer.send({ topic: topics.events, messages: [{ key: null, value, headers }] });
    }
    const running = await worker(env);
    const letters = await readTopic(brokers, topics['dead-letters'], {
      count: bad.length,
    });
    expect(letters.map(({ headers }) => headers['loopwatch-error-code'])).toEqual([
      'not_json',
      'not_an_object',
      'invalid_event',
      'invalid_event',
      'missing_session',
      'not_json',
      'empty_value',
    ]);
    expect(letters[0]).toMatchObject({
      value: 'no json',
      headers: { trace: 'abc', 'loopwatch-topic': topics.events },
    });
    expect(letters[6]?.value).toBeNull();
    const verdicts = (await readTopic(brokers, topics.verdicts, { count: 1 })).map(({ value }) =>
      verdictSchema.parse(JSON.parse(value ?? '')),
    );
    const opened = verdicts
      .filter(({ phase }) => phase === 'opened')
      .map(({ sessionId, detector }) => [sessionId, detector]);
    expect(opened).toEqual([
      ['big', 'content-repeat'],
      ['s', 'tool-repeat'],
    ]);
    expect(await running.stop()).toBe(0);
  });

  it('worker: explains how to create a missing topic', async () => {
    const env = { KAFKA_BROKERS: brokers.join(','), LOOPWATCH_KAFKA_TOPICS_PREFIX: `${uniqueName('none')}.` };
    const process = spawnCli(['worker', '--port', '0'], env);
    expect(await process.exited).toBe(1);
    expect(process.stderr.join('\n')).toContain('npx loopwatch topics --brokers');
  });

  it('worker: stops on SIGTERM, and the next one continues from the committed offset', async () => {
    const { topics, env } = await ownTopics(brokers, 1);
    const loop = (session: number): string[] =>
      Array.from({ length: 6 }, (_, i) =>
        JSON.stringify({
          id: `e-${String(i)}`,
          sessionId: `s-${String(session)}`,
          time: 1_760_000_000_000 + i,
          type: 'tool_call_request',
          name: 'read_file',
          args: { path: 'a' },
        }),
      );
    const sessions = 8_000;
    const file = await fileOf(Array.from({ length: sessions }, (_, session) => loop(session)).flat());
    const produce = spawnCli(['produce', file], env);
    expect(await produce.exited, produce.stderr.join('\n')).toBe(0);
    const first = await worker({ ...env, LOOPWATCH_PRESET: 'stream' });
    await readTopic(brokers, topics.verdicts, { count: 1 });
    expect(await first.stop('SIGTERM')).toBe(0);
    const second = await worker({ ...env, LOOPWATCH_PRESET: 'stream' });
    const count = async () => {
      const ids = await readTopic(brokers, topics.verdicts);
      return ids.length >= sessions - 1 ? ids : undefined;
    };
    const records = await waitFor(count);
    expect(await second.stop()).toBe(0);
    const ids = records.map(({ value }) => verdictSchema.parse(JSON.parse(value ?? '')).id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
