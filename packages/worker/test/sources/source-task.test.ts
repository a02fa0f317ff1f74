import { settingsSchema } from '@loopwatch/contract';
import { LogError, type ValueDecoder } from '@loopwatch/log';
import { describe, expect, it } from 'vitest';
import { collectorRequests } from '../../../formats/test/telemetry/collector-requests.ts';
import { ReplayWindow } from '../../src/sources/source-task.ts';
import { createWorker, metric, records, topics } from '../fakes.ts';
import { MemoryRunner } from '../memory-runner.ts';

const topic = 'otlp_spans';

/** A worker with one source, on a log in memory, started. */
async function startWithSource(settings: object = {}, decoder?: ValueDecoder) {
  const runner = new MemoryRunner(topic);
  const sources = {
    runner,
    settings: settingsSchema.parse({ kafka: { sources: { [topic]: settings } } }).kafka.sources,
    decoder,
  };
  const made = createWorker({}, 'debug', undefined, undefined, sources);
  await made.worker.start();
  const events = () => runner.published.filter(({ topic }) => topic === topics.events);
  return { ...made, runner, events };
}

const call = (id: number, name: string) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: `call-${String(id)}`, type: 'function', function: { name, arguments: '{}' } }],
});
const chat = (...names: string[]) => ({
  messages: [{ role: 'user', content: 'Go' }, ...names.map((name, i) => call(i, name))],
});
const typed = (published: readonly { key: unknown; value: unknown }[]) =>
  published.map(({ key, value }) => `${String(key)} ${String(JSON.parse(String(value)).type)}`);

describe('a source', () => {
  it.each(['otlp_proto', 'otlp_json'] as const)(
    'writes the spans of %s as events keyed by session',
    async (encoding) => {
      const { runner, events, registry } = await startWithSource({ format: 'otlp' });
      const timestamp = 1_700_000_000_000;
      const value = collectorRequests.traces[encoding];
      await runner.deliver(records(7, [''], { value, timestamp }));
      expect(typed(events())).toEqual(
        [1, 2, 3].flatMap(() => ['conv-1 tool_call_request', 'conv-1 tool_result']),
      );
      expect(events().every((event) => event.timestamp === timestamp)).toBe(true);
      expect(runner.commits).toEqual(['0@8']);
      const counted = `loopwatch_source_records_total{topic="${topic}",result="translated"}`;
      expect(await metric(registry, counted)).toBe(1);
    },
  );

  it('a source: uses the key as session for records without one, and reads a growing history once', async () => {
    const { runner, events } = await startWithSource({ format: 'messages' });
    const key = Buffer.from('chat-1');
    await runner.deliver(records(0, [chat('a'), chat('a', 'b')], { key }));
    const calls = typed(events()).filter((event) => event.endsWith('tool_call_request'));
    expect(calls).toEqual(['chat-1 tool_call_request', 'chat-1 tool_call_request']);
  });

  it('a source: keeps its state across a takeover', async () => {
    const { runner, events } = await startWithSource({ format: 'messages' });
    const key = Buffer.from('chat-1');
    await runner.deliver(records(0, [chat('a')], { key }));
    const before = events().length;
    runner.crash();
    await runner.deliver(records(1, [chat('a', 'b')], { key }));
    expect(typed(events().slice(before)).filter((event) => event.endsWith('tool_call_request'))).toHaveLength(
      1,
    );
  });

  it('a source: the format header of a record wins', async () => {
    const { runner, events } = await startWithSource({ format: 'otlp', format_header: 'kind' });
    const headers = { kind: Buffer.from('messages') };
    await runner.deliver(records(0, [chat('a')], { headers, key: Buffer.from('chat-1') }));
    expect(typed(events())).toContain('chat-1 tool_call_request');
  });

  it('a source: passes Loopwatch events on unchanged', async () => {
    const { runner, events } = await startWithSource();
    const event = '{"type":"content", "text":"Hello","sessionId":"s-1"}';
    await runner.deliver(records(0, [event]));
    expect(events()).toMatchObject([{ key: 's-1', value: event }]);
  });

  it('a source: unwraps Loopwatch events from CloudEvents', async () => {
    const { runner, events } = await startWithSource();
    const data = { type: 'content', text: 'Hello', sessionId: 's-1' };
    await runner.deliver(
      records(0, [{ specversion: '1.0', id: '7', source: '/a', type: 'agent.event', data }]),
    );
    expect(events().map(({ value }) => JSON.parse(String(value)))).toEqual([{ ...data, id: '/a#7.0' }]);
  });

  it.each([
    ['a record of another format', { format: 'litellm' }, chat('a'), {}, 'unknown_format'],
    ['a record that is not JSON', {}, 'nothing', {}, 'not_json'],
    [
      'an unknown name in the header',
      {},
      chat('a'),
      { 'loopwatch-format': Buffer.from('xml') },
      'unknown_format',
    ],
    ['an invalid Loopwatch event', {}, { sessionId: 's', type: 'content', text: 5 }, {}, 'invalid_event'],
  ])('a source: rejects %s as a dead letter', async (_, settings, value, headers, code) => {
    const { runner, registry, lines } = await startWithSource(settings);
    await runner.deliver(records(0, [value], { headers }));
    expect(runner.published).toMatchObject([
      { topic: topics['dead-letters'], headers: { 'loopwatch-error-code': Buffer.from(code) } },
    ]);
    expect(await metric(registry, `loopwatch_dead_letters_total{reason="${code}"}`)).toBe(1);
    expect(lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
  });

  describe('a value that names its schema', () => {
    const encoded = Buffer.from([0, 0, 0, 0, 7, 1, 2]);
    const event = '{"type":"content","text":"Hello","sessionId":"s-1"}';
    const letterOf = (message: string) => ({
      topic: topics['dead-letters'],
      value: encoded,
      headers: {
        'loopwatch-error-code': Buffer.from('undecodable'),
        'loopwatch-error-message': Buffer.from(message),
      },
    });

    it('is decoded; others are not', async () => {
      const asked: Buffer[] = [];
      const decode = (value: Buffer) => {
        asked.push(value);
        return Promise.resolve({ json: event });
      };
      const { runner, events } = await startWithSource({}, { decode });
      await runner.deliver([...records(0, [event]), ...records(1, [''], { value: encoded })]);
      expect(events().map(({ value }) => value)).toEqual([event, event]);
      expect(asked).toEqual([encoded]);
    });

    it('is a dead letter, with its bytes, if it cannot be decoded', async () => {
      const decode = () => Promise.resolve({ fault: 'it does not fit' });
      const { runner, lines } = await startWithSource({}, { decode });
      await runner.deliver(records(0, [''], { value: encoded }));
      expect(runner.published).toMatchObject([letterOf('it does not fit')]);
      expect(lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
    });

    it('is a dead letter that says what to set if no registry is configured', async () => {
      const { runner } = await startWithSource();
      await runner.deliver(records(0, [''], { value: encoded }));
      expect(String(runner.published[0]?.headers?.['loopwatch-error-message'])).toContain(
        'Set kafka.schema_registry.url',
      );
    });

    it('stops the partition while the registry is not available, which is no fault', async () => {
      let isAvailable = false;
      const decode = () =>
        isAvailable
          ? Promise.resolve({ json: event })
          : Promise.reject(new LogError('registry_unavailable', 'no registry'));
      const { runner, events, registry, lines } = await startWithSource({}, { decode });
      await expect(runner.deliver(records(0, [''], { value: encoded }))).rejects.toThrow('no registry');
      expect(runner.published).toEqual([]);
      expect(await metric(registry, 'loopwatch_detection_faults_total')).toBe(0);
      expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
      isAvailable = true;
      runner.crash();
      await runner.takeOver();
      expect(events().map(({ value }) => value)).toEqual([event]);
    });
  });

  it('a source: logs each ignored type once', async () => {
    const { runner, lines, registry } = await startWithSource({ format: 'otlp' });
    const span = { traceId: 'a', spanId: 'b', name: 'GET /', attributes: {} };
    await runner.deliver(records(0, [span, span]));
    expect(lines.filter(({ msg }) => msg.startsWith('Ignoring'))).toMatchObject([{ topic, type: 'GET /' }]);
    expect(await metric(registry, `loopwatch_source_records_total{topic="${topic}",result="ignored"}`)).toBe(
      2,
    );
  });

  it('a source: commits nothing of a failed batch, and writes it after the restart', async () => {
    const { runner, events } = await startWithSource({ format: 'messages' });
    runner.gate = Promise.reject(new Error('the coordinator is gone'));
    await expect(runner.deliver(records(0, [chat('a')], { key: Buffer.from('c') }))).rejects.toThrow();
    expect(runner.published).toEqual([]);
    runner.gate = Promise.resolve();
    await runner.takeOver();
    expect(typed(events()).filter((event) => event.endsWith('tool_call_request'))).toHaveLength(1);
  });
});

const MIB = 1024 * 1024;

it.each([
  ['nothing was read yet', [], 0],
  ['little was read', [[40, 10, 100]], 40],
  [
    'many records were read',
    [
      [0, 3_000, 1],
      [3_000, 3_000, 1],
      [6_000, 3_000, 1],
    ],
    3_000,
  ],
  [
    'large records were read',
    [
      [0, 1, 10 * MIB],
      [1, 1, 10 * MIB],
      [2, 1, 10 * MIB],
    ],
    1,
  ],
  [
    'one batch is enough',
    [
      [0, 10, 1],
      [10, 6_000, 1],
    ],
    10,
  ],
])('replay window of a source: when %s', (_, batches, start) => {
  const window = new ReplayWindow();
  for (const [from = 0, records = 0, bytes = 0] of batches) window.note(from, records, bytes);
  expect(window.start(0)).toBe(start);
});
