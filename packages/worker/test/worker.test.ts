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
  it('a batch: verdicts are published keyed by session, committed with the offset', async () => {
    const { log, clock } = await startWorker(loop);
    await log.deliver(records(10, calls(3)));
    expect(log.published).toMatchObject([
      { topic: topics.verdicts, key: 's-1' },
      { topic: topics.sessions, key: 's-1' },
    ]);
    const verdict = verdictSchema.parse(JSON.parse(String(log.published[0]?.value)));
    expect(verdict).toMatchObject({
      phase: 'opened',
      sessionId: 's-1',
      eventIndex: 1,
      detectedAt: clock.now,
      source: { topic: topics.events, partition: 0, firstOffset: '10', offset: '11' },
    });
    expect(log.commits).toEqual(['0@13']);
  });

  it('a batch: does not wait for the previous commit', async () => {
    const { log } = await startWorker(loop);
    const { gate, release } = held();
    log.gate = gate;
    const first = log.deliver(records(0, calls(2)));
    await settled();
    const second = log.deliver(records(2, calls(2)));
    await settled();
    expect(log.commits).toEqual([]);
    release();
    await Promise.all([first, second]);
    expect(log.commits).toEqual(['0@2', '0@4']);
    expect(log.verdicts.map(({ count }) => count)).toEqual([2, 4]);
  });

  it('a batch: is counted and logged only once committed', async () => {
    const { log, registry, lines } = await startWorker(loop);
    const { gate, release } = held();
    log.gate = gate;
    const done = log.deliver(records(0, calls(2)));
    await settled();
    const events = () => metric(registry, 'loopwatch_events_total{type="tool_call_request"}');
    const opened = () =>
      metric(registry, 'loopwatch_verdicts_total{detector="tool-repeat",phase="opened",action="block"}');
    expect([await events(), await opened(), lines]).toEqual([undefined, undefined, []]);
    release();
    await done;
    expect([await events(), await opened()]).toEqual([2, 1]);
    expect(lines).not.toEqual([]);
  });

  it('a batch: is processed again after a failed commit, and counted once', async () => {
    const { log, registry } = await startWorker(loop);
    for (const attempt of [1, 2]) {
      log.gate = Promise.reject(new Error('the broker is away'));
      await expect(log.deliver(records(0, [...calls(2), 'no json', ...calls(1)]))).rejects.toThrow('is away');
      expect([log.attempts, log.published, log.commits]).toEqual([attempt, [], []]);
    }
    log.gate = Promise.resolve();
    await log.takeOver();
    await log.deliver(records(4, calls(1)));
    expect(log.verdicts.map(({ phase, count }) => `${phase} ${String(count)}`)).toEqual([
      'opened 2',
      'escalated 4',
    ]);
    expect(log.deadLetters).toHaveLength(1);
    expect(log.commits).toEqual(['0@4', '0@5']);
    expect(await metric(registry, 'loopwatch_events_total{type="tool_call_request"}')).toBe(4);
  });
});

describe('a partition', () => {
  it('a partition: when revoked, its sessions and lag are removed, others stay', async () => {
    const { log, registry } = await startWorker(loop);
    for (const partition of [0, 1]) await log.deliver(records(0, calls(1)), { partition, lag: 9 });
    log.crash(1);
    log.assignment(1, { arrived: 0, left: 1 });
    expect(await metric(registry, 'loopwatch_active_sessions')).toBe(1);
    expect(await metric(registry, 'loopwatch_evicted_sessions_total{reason="partition_lost"}')).toBe(1);
    const lag = (partition: number) =>
      metric(registry, `loopwatch_consumer_lag{topic="${topics.events}",partition="${String(partition)}"}`);
    expect([await lag(0), await lag(1)]).toEqual([9, undefined]);
  });

  it('a partition: recovers its sessions from snapshots and replay', async () => {
    const { log, registry, lines } = await startWorker(loop);
    await log.deliver(records(0, calls(3)));
    log.crash();
    expect(await metric(registry, 'loopwatch_incidents_open{detector="tool-repeat"}')).toBe(0);
    await log.takeOver();
    expect(await metric(registry, 'loopwatch_incidents_open{detector="tool-repeat"}')).toBe(1);
    await log.deliver(records(3, calls(1)));
    expect(log.verdicts.map(({ phase, count }) => [phase, count])).toEqual([
      ['opened', 2],
      ['escalated', 4],
    ]);
    expect(await metric(registry, 'loopwatch_recovery_duration_seconds_count')).toBe(1);
    expect(lines.map(({ msg }) => msg)).toContain(
      'Partition 0 recovered in 0.00 s (snapshots restored: 1, records replayed: 3), resuming at offset 3',
    );
  });

  it('a partition: a loop stays open when the worker stops', async () => {
    const { log, worker } = await startWorker(loop);
    await log.deliver(records(0, calls(2)));
    await worker.stop();
    expect(log.verdicts.map(({ phase }) => phase)).toEqual(['opened']);
  });

  it('a partition: may start at any offset', async () => {
    const { log } = await startWorker(loop);
    await log.deliver(records(1_000_000, calls(2)), { partition: 7 });
    expect(log.verdicts).toHaveLength(1);
    expect(log.commits).toEqual(['7@1000002']);
  });
});

describe('a rejected record', () => {
  it('a rejected record: keeps bytes, key and headers, and gets five headers with reason and origin', async () => {
    const { log } = await startWorker();
    const bytes = Buffer.from([0xff, 0xfe, 0x00, 0x7b]);
    const key = Buffer.from([0xc3, 0x28]);
    const headers = {
      trace: Buffer.from([0, 1, 2]),
      [deadLetterHeaders.code]: Buffer.from('of an earlier life'),
    };
    await log.deliver(records(41, [''], { value: bytes, key, headers }), { partition: 3 });
    const [letter] = log.deadLetters;
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
    expect(log.commits).toEqual(['3@42']);
  });

  it('a rejected record: a tombstone stays one', async () => {
    const { log } = await startWorker();
    await log.deliver(records(0, [''], { value: null, key: Buffer.from('s') }));
    expect(log.deadLetters).toMatchObject([{ value: null, key: Buffer.from('s') }]);
    expect(String(log.deadLetters[0]?.headers?.['loopwatch-error-code'])).toBe('empty_value');
  });

  it('a rejected record: does not stop the partition', async () => {
    const { log } = await startWorker(loop);
    await log.deliver(records(0, [...calls(1), 'bad', ...calls(1)]));
    expect(log.published.map(({ topic }) => topic)).toEqual([
      topics['dead-letters'],
      topics.verdicts,
      topics.sessions,
    ]);
  });
});

describe('start and stop', () => {
  it('a worker: is connected once it has joined the group', async () => {
    const { worker } = await startWorker();
    expect(worker.status).toEqual({ connected: true, detail: 'connected' });
  });

  it('a worker: closes everything when it fails to start', async () => {
    const { worker, log } = createWorker();
    const failure = new LogError('topic_missing', 'there is no such topic');
    log.runFailure = failure;
    expect(worker.status).toEqual({ connected: false, detail: 'starting' });
    await expect(worker.start()).rejects.toBe(failure);
    expect(log.stopped).toBe(true);
    expect(worker.status.connected).toBe(false);
  });

  it('a worker: logs assigned and revoked partitions', async () => {
    const { log, registry, lines } = await startWorker();
    log.assignment(3, { arrived: 2, left: 1 });
    expect(await metric(registry, 'loopwatch_rebalances_total')).toBe(1);
    expect(lines.map(({ msg }) => msg)).toEqual(['Partitions assigned: 3 (2 added, 1 revoked)']);
  });

  it('a worker: reports whether the event log is available', async () => {
    const { worker, log, lines } = await startWorker();
    log.connection('down', 'no broker answers');
    expect(worker.status).toEqual({ connected: false, detail: 'no broker answers' });
    log.connection('up');
    expect(worker.status).toEqual({ connected: true, detail: 'connected' });
    // The log itself reports why it is unavailable.
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([['info', 'Connected to the event log']]);
  });
});
