import { type DetectionInput, deadLetterHeaders, verdictSchema } from '@loopwatch/contract';
import { LogError } from '@loopwatch/log';
import { describe, expect, it } from 'vitest';
import { calls, createWorker, metric, records, startWorker, topics } from './fakes.ts';

const loop: DetectionInput = { tool_call_loop: { max_repeats: 2 } };

/** Something that is awaited until the test says so. */
function held() {
  let release: () => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const gate = new Promise<void>((resolve, reject) => {
    release = resolve;
    fail = reject;
  });
  gate.catch(() => undefined);
  return { gate, release, fail };
}

/** Lets everything that can go on without the test go on. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('a batch', () => {
  it('leads to verdicts on their topic, keyed by session, and then to a commit', async () => {
    const { source, sink, clock } = await startWorker(loop);
    await source.deliver(records(10, calls(3)));
    expect(sink.published).toMatchObject([{ topic: topics.verdicts, key: 's-1' }]);
    const verdict = verdictSchema.parse(JSON.parse(String(sink.published[0]?.value)));
    expect(verdict).toMatchObject({
      phase: 'opened',
      sessionId: 's-1',
      eventIndex: 1,
      detectedAt: clock.now,
      source: { topic: topics.events, partition: 0, firstOffset: '10', offset: '11' },
    });
    expect(source.commits).toEqual(['0@13']);
  });

  it('is committed only when what came of it is published', async () => {
    const { worker, source, sink } = await startWorker(loop);
    const { gate, release } = held();
    sink.gate = gate;
    const done = source.deliver(records(0, calls(2)));
    await settled();
    expect(sink.attempts).toBe(1);
    expect(source.commits).toEqual([]);
    expect(worker.lastEventAt).toBeNull();
    release();
    await done;
    expect(source.commits).toEqual(['0@2']);
    expect(worker.lastEventAt).toBe(1_760_000_000_000);
  });

  it('is published in one go, and not at all when nothing came of it', async () => {
    const { source, sink } = await startWorker(loop);
    await source.deliver(records(0, calls(1)));
    expect(sink.attempts).toBe(0);
    expect(source.commits).toEqual(['0@1']);
    await source.deliver(records(1, [...calls(2), 'no json', ...calls(2, { sessionId: 't' })]));
    expect(sink.attempts).toBe(1);
    expect(sink.published.map(({ key }) => key)).toEqual(['s-1', null, 't']);
  });

  it('that cannot be published is not committed; it comes again and is analyzed once', async () => {
    const { source, sink, registry, lines } = await startWorker(loop);
    const batch = records(0, [...calls(2), 'no json', ...calls(1)]);
    for (const attempt of [1, 2]) {
      sink.gate = Promise.reject(new Error('the broker is away'));
      await expect(source.deliver(batch)).rejects.toThrow('the broker is away');
      expect(sink.attempts).toBe(attempt);
      expect(source.commits).toEqual([]);
      expect(sink.published).toEqual([]);
    }
    sink.gate = Promise.resolve();
    await source.deliver(batch);
    await source.deliver(records(4, calls(1)));
    expect(sink.verdicts.map(({ phase, count }) => `${phase} ${String(count)}`)).toEqual([
      'opened 2',
      'escalated 4',
    ]);
    expect(sink.deadLetters).toHaveLength(1);
    expect(source.commits).toEqual(['0@4', '0@5']);
    expect(await metric(registry, 'loopwatch_events_total{type="tool_call_request"}')).toBe(4);
    expect(await metric(registry, 'loopwatch_dead_letters_total{reason="not_json"}')).toBe(1);
    expect(
      await metric(
        registry,
        'loopwatch_verdicts_total{detector="tool-repeat",phase="opened",action="block"}',
      ),
    ).toBe(1);
    const errors = lines.filter(({ level }) => level === 'error');
    expect(errors.map(({ msg }) => msg)).toEqual(
      Array(2).fill('Verdicts could not be delivered; the batch will come again'),
    );
  });

  it.each<[string, number, number]>([
    ['larger', 0, 5],
    ['smaller', 0, 1],
    ['the same', 0, 2],
  ])('that could not be published may come again %s', async (_, first, length) => {
    const { source, sink } = await startWorker(loop);
    const all = records(0, calls(8));
    sink.gate = Promise.reject(new Error('away'));
    await expect(source.deliver(all.slice(0, 2))).rejects.toThrow('away');
    sink.gate = Promise.resolve();
    await source.deliver(all.slice(first, length));
    await source.deliver(all.slice(length));
    expect(sink.verdicts.map(({ count, source: place }) => [count, place?.offset])).toEqual([
      [2, '1'],
      [4, '3'],
      [8, '7'],
    ]);
    expect(source.commits.at(-1)).toBe('0@8');
  });

  it.each([
    ['the partition went to another worker', new LogError('partition_lost', 'gone'), 'info'],
    ['the broker is away', new Error('away'), 'error'],
  ])(
    'that cannot be committed since %s comes again, and nothing is published twice',
    async (_, failure, level) => {
      const { source, sink, lines } = await startWorker(loop);
      const batch = records(0, calls(2));
      source.commitFailure = failure;
      await expect(source.deliver(batch)).rejects.toBe(failure);
      expect(sink.verdicts).toHaveLength(1);
      expect(lines).toContainEqual(
        expect.objectContaining({ level, msg: 'The offset could not be committed' }),
      );
      await source.deliver(batch);
      await source.deliver(records(2, calls(2)));
      expect(sink.verdicts.map(({ count }) => count)).toEqual([2, 4]);
      expect(source.commits).toEqual(['0@2', '0@4']);
    },
  );
});

describe('records that overlap or are missing', () => {
  it('overlap after the group was joined anew: what was analyzed is skipped', async () => {
    const { source, sink, registry } = await startWorker(loop);
    const all = records(0, calls(8));
    await source.deliver(all.slice(0, 3));
    source.assign(0);
    await source.deliver(all.slice(1, 5));
    await source.deliver(all.slice(0, 5));
    await source.deliver(all.slice(4, 8));
    expect(sink.verdicts.map(({ count }) => count)).toEqual([2, 4, 8]);
    expect(await metric(registry, 'loopwatch_events_total{type="tool_call_request"}')).toBe(8);
    expect(source.commits).toEqual(['0@3', '0@5', '0@5', '0@8']);
  });

  it('are missing: another worker had the partition meanwhile, so its sessions start afresh', async () => {
    const { source, sink, registry } = await startWorker(loop);
    await source.deliver(records(0, calls(3)));
    await source.deliver(records(0, calls(3)), { partition: 1 });
    await source.deliver(records(4, calls(1)));
    await source.deliver(records(3, calls(1)), { partition: 1 });
    expect(await metric(registry, 'loopwatch_evicted_sessions_total{reason="partition_lost"}')).toBe(1);
    expect(sink.verdicts.map(({ count, source: place }) => [place?.partition, count])).toEqual([
      [0, 2],
      [1, 2],
      [1, 4],
    ]);
    await source.deliver(records(5, calls(1)));
    expect(sink.verdicts.at(-1)).toMatchObject({
      phase: 'opened',
      source: { firstOffset: '4', offset: '5' },
    });
  });

  it('begin anywhere in a partition that is new', async () => {
    const { source, sink } = await startWorker(loop);
    await source.deliver(records(1_000_000, calls(2)), { partition: 7 });
    expect(sink.verdicts).toHaveLength(1);
    expect(source.commits).toEqual(['7@1000002']);
  });
});

describe('partitions', () => {
  it('that were taken away are forgotten, the others kept', async () => {
    const { source, sink, registry } = await startWorker(loop);
    source.assign(0, 1);
    for (const partition of [0, 1]) await source.deliver(records(0, calls(1)), { partition, lag: 9 });
    source.assign(1);
    expect(await metric(registry, 'loopwatch_active_sessions')).toBe(1);
    const lag = (partition: number) =>
      metric(registry, `loopwatch_consumer_lag{topic="${topics.events}",partition="${String(partition)}"}`);
    expect([await lag(0), await lag(1)]).toEqual([undefined, 9]);
    // Without a gap, so that only the assignment can tell.
    for (const partition of [0, 1]) await source.deliver(records(1, calls(1)), { partition });
    expect(sink.verdicts.map(({ source: place }) => place?.partition)).toEqual([1]);
  });

  it('none at all means that the link is down: everything is kept', async () => {
    const { source, sink, registry } = await startWorker(loop);
    source.assign(0);
    await source.deliver(records(0, calls(1)));
    source.assign();
    expect(await metric(registry, 'loopwatch_active_sessions')).toBe(1);
    source.assign(0);
    await source.deliver(records(1, calls(1)));
    expect(sink.verdicts).toHaveLength(1);
  });

  it('of one number belong to their topics', async () => {
    const { source, sink } = await startWorker(loop);
    const topic = 'other/with/slashes';
    await source.deliver(records(0, calls(1)), { topic });
    await source.deliver(records(0, calls(1)));
    source.assign(0);
    await source.deliver(records(1, calls(1)));
    await source.deliver(records(1, calls(1)), { topic });
    expect(sink.verdicts.map(({ source: place }) => place?.topic)).toEqual([topics.events]);
  });

  it('that go away while a batch of theirs is being published leave nothing behind', async () => {
    const { source, sink } = await startWorker(loop);
    source.assign(0, 1);
    const { gate, fail } = held();
    sink.gate = gate;
    const done = source.deliver(records(0, calls(2)));
    await settled();
    source.assign(1);
    fail(new Error('away'));
    await expect(done).rejects.toThrow('away');
    sink.gate = Promise.resolve();
    source.assign(0, 1);
    await source.deliver(records(0, calls(2)));
    expect(sink.verdicts).toHaveLength(1);
    expect(source.commits).toEqual(['0@2']);
  });
});

describe('a record that cannot be read', () => {
  it('keeps bytes, key and headers, and gains five headers that say why and where', async () => {
    const { source, sink } = await startWorker();
    const bytes = Buffer.from([0xff, 0xfe, 0x00, 0x7b]);
    const key = Buffer.from([0xc3, 0x28]);
    const headers = {
      trace: Buffer.from([0, 1, 2]),
      [deadLetterHeaders.code]: Buffer.from('of an earlier life'),
    };
    const [record] = records(41, ['']);
    await source.deliver([{ ...record!, value: bytes, key, headers }], { partition: 3 });
    const [letter] = sink.deadLetters;
    expect(letter?.value).toBe(bytes);
    expect(letter?.key).toBe(key);
    const { trace, ...texts } = letter?.headers ?? {};
    expect(trace).toEqual(Buffer.from([0, 1, 2]));
    expect(Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, String(text)]))).toEqual({
      'loopwatch-error-code': 'not_json',
      'loopwatch-error-message': expect.stringMatching(/JSON/),
      'loopwatch-topic': topics.events,
      'loopwatch-partition': '3',
      'loopwatch-offset': '41',
    });
    expect(source.commits).toEqual(['3@42']);
  });

  it('may be a tombstone, which stays one', async () => {
    const { source, sink } = await startWorker();
    const [record] = records(0, ['']);
    await source.deliver([{ ...record!, value: null, key: Buffer.from('s') }]);
    expect(sink.deadLetters).toMatchObject([{ value: null, key: Buffer.from('s') }]);
    expect(String(sink.deadLetters[0]?.headers?.['loopwatch-error-code'])).toBe('empty_value');
  });

  it('stops nothing', async () => {
    const { source, sink } = await startWorker(loop);
    await source.deliver(records(0, [...calls(1), 'bad', ...calls(1)]));
    expect(sink.published.map(({ topic }) => topic)).toEqual([topics['dead-letters'], topics.verdicts]);
  });
});

describe('start and stop', () => {
  it('opens the sink before anything can come', async () => {
    const { sink, worker } = await startWorker();
    expect(sink.state).toBe('open');
    expect(worker.status).toEqual({ connected: true, detail: 'connected' });
  });

  it.each(['sink', 'source'] as const)('closes everything again when the %s cannot start', async (which) => {
    const { worker, source, sink } = createWorker();
    const failure = new LogError('topic_missing', 'there is no such topic');
    if (which === 'sink') sink.openFailure = failure;
    else source.runFailure = failure;
    expect(worker.status).toEqual({ connected: false, detail: 'starting' });
    await expect(worker.start()).rejects.toBe(failure);
    expect([sink.state, source.stopped]).toEqual(['closed', true]);
    expect(worker.status.connected).toBe(false);
  });

  it('lets the batch in progress be published and committed, then closes', async () => {
    const { worker, source, sink } = await startWorker(loop);
    const { gate, release } = held();
    sink.gate = gate;
    const done = source.deliver(records(0, calls(2)));
    await settled();
    const stopping = worker.stop();
    await settled();
    expect([sink.state, source.commits]).toEqual(['open', []]);
    release();
    await stopping;
    await done;
    expect([sink.state, source.commits]).toEqual(['closed', ['0@2']]);
    expect(sink.verdicts).toHaveLength(1);
    expect(worker.status).toEqual({ connected: false, detail: 'stopped' });
  });

  it('tells whether the log can be reached', async () => {
    const { worker, source, lines } = await startWorker();
    source.connection('down', 'no broker answers');
    expect(worker.status).toEqual({ connected: false, detail: 'no broker answers' });
    source.connection('up');
    expect(worker.status).toEqual({ connected: true, detail: 'connected' });
    expect(lines.map(({ level, msg, reason }) => [level, msg, reason])).toEqual([
      ['warn', 'Lost the event log; trying again until it is back', 'no broker answers'],
      ['info', 'Connected to the event log', undefined],
    ]);
  });
});
