import type { DetectionInput } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import type { ModelClient } from '../src/index.ts';
import { calls, records, startWorker, topics } from './fakes.ts';
import type { MemoryRunner } from './memory-runner.ts';

const START = 1_760_000_000_000;
const IDLE_SECONDS = 60;
const detection: DetectionInput = {
  tool_call_loop: { max_repeats: 2 },
  semantic: { after_turns: 2 },
  session: { idle_seconds: IDLE_SECONDS },
};

/** A model that answers when the test says so. */
function model() {
  const asked: ((confidence: number) => Promise<void>)[] = [];
  const client: ModelClient = {
    model: 'judge',
    secondModel: null,
    ask: () =>
      new Promise((resolve) => {
        asked.push(async (confidence) => {
          resolve({ text: JSON.stringify({ analysis: 'back and forth', confidence }), tokens: null });
          await new Promise((done) => setImmediate(done));
        });
      }),
  };
  return { asked, client };
}

const turns = (count: number, second = 0) =>
  Array.from({ length: count }, () => ({
    sessionId: 's-1',
    type: 'turn_started',
    time: START + second * 1000,
  }));

/** So many events of others, so much later, that a session is idle for them. */
function others(first: number) {
  const timestamp = START + 3 * IDLE_SECONDS * 1000;
  const values = Array.from({ length: 1100 }, (_, i) => {
    return { sessionId: `other-${String(i % 10)}`, type: 'not_known_yet', time: timestamp };
  });
  return records(first, values, { timestamp });
}

const tombstones = ({ published }: MemoryRunner) =>
  published.filter(({ value }) => value === null).map(({ topic, key }) => [topic, key]);
const latest = (log: MemoryRunner) => log.summaries.at(-1);

describe('session summaries', () => {
  it('session summaries: committed with their events, one per session, after the verdicts', async () => {
    const { log } = await startWorker(detection);
    await log.deliver(records(10, [...calls(3), ...calls(1, { sessionId: 's-2' })]));
    expect(log.published.map(({ topic, key }) => [topic, key])).toEqual([
      [topics.verdicts, 's-1'],
      [topics.sessions, 's-1'],
      [topics.sessions, 's-2'],
    ]);
    expect(log.summaries).toMatchObject([
      {
        sessionId: 's-1',
        status: 'live',
        events: 2,
        toolCalls: 2,
        verdicts: 1,
        incidents: { open: 1, total: 1, byDetector: { 'tool-repeat': 1 } },
        source: { topic: topics.events, partition: 0, firstOffset: '10', lastOffset: '11' },
      },
      { sessionId: 's-2', source: { firstOffset: '13', lastOffset: '13' } },
    ]);
  });

  it('session summaries: one for each day (UTC) of a history that is read at once', async () => {
    const { log } = await startWorker({ ...detection, session: { idle_seconds: 10 * 86_400 } });
    const day = 86_400;
    const history = [0, day, 2 * day].flatMap((at) => [turns(3, at), turns(2, at + 60)]).flat();
    await log.deliver(records(0, history));
    const told = log.summaries.flatMap((one) => (typeof one === 'object' ? [one] : []));
    expect(told.map(({ turns }) => turns)).toEqual([4, 9, 14]);
    expect(new Set(told.map(({ lastEventAt }) => Math.floor(lastEventAt / 86_400_000))).size).toBe(3);
  });

  it('session summaries: not repeated after a takeover, and continued', async () => {
    const { log } = await startWorker(detection);
    await log.deliver(records(0, calls(2)));
    const before = log.summaries.length;
    log.crash();
    await log.takeOver();
    await log.deliver(records(2, calls(1)));
    expect(log.summaries).toHaveLength(before);
    await log.deliver(records(3, [{ sessionId: 's-1', type: 'session_ended' }]));
    expect(latest(log)).toMatchObject({
      status: 'ended',
      events: 4,
      verdicts: 2,
      incidents: { open: 0, total: 1 },
      source: { firstOffset: '0', lastOffset: '3' },
    });
  });

  it('session summaries: include a loop found by a late check, at the session’s current offset', async () => {
    const { asked, client } = model();
    const { log } = await startWorker(detection, 'silent', client);
    await log.deliver(records(0, turns(3)));
    await log.deliver(records(3, turns(1, 31)));
    expect(latest(log)).toMatchObject({ verdicts: 0 });
    await asked[0]!(0.99);
    await log.settled();
    expect(latest(log)).toMatchObject({
      status: 'live',
      verdicts: 1,
      incidents: { open: 1, byDetector: { semantic: 1 } },
      lastEventAt: START + 31_000,
      source: { firstOffset: '0', lastOffset: '3' },
    });
  });
});

describe('an idle session', () => {
  /** What may come between a check that is recorded and the end of its session's time. */
  const cases: [string, (log: MemoryRunner) => Promise<void> | void][] = [
    ['within one process', () => undefined],
    [
      'after a restart',
      async (log) => {
        log.crash();
        await log.takeOver();
      },
    ],
  ];
  it.each(cases)('an idle session is deleted from all compacted topics, %s', async (_, between) => {
    const { asked, client } = model();
    const { log } = await startWorker(detection, 'silent', client);
    await log.deliver(records(0, turns(3)));
    await asked[0]!(0.1);
    await log.settled();
    const [check] = log.checks;
    expect([...log.compacted('checks').keys()]).toEqual([check!.id]);
    expect(log.kept().has('session/s-1')).toBe(true);
    await between(log);
    await log.deliver(others(3));
    expect(tombstones(log)).toEqual([
      [topics.sessions, 's-1'],
      [topics.checks, check!.id],
    ]);
    expect(log.kept().has('session/s-1')).toBe(false);
    expect([...log.compacted('sessions').keys()]).not.toContain('s-1');
    expect(log.compacted('checks').size).toBe(0);
  });

  it('an idle session is deleted again if the process ends before the commit', async () => {
    const { log } = await startWorker(detection);
    await log.deliver(records(0, calls(1)));
    log.gate = Promise.reject(new Error('fenced'));
    await expect(log.deliver(others(1))).rejects.toThrow('fenced');
    expect(tombstones(log)).toEqual([]);
    log.gate = Promise.resolve();
    await log.takeOver();
    expect(tombstones(log)).toEqual([[topics.sessions, 's-1']]);
  });

  it('an idle session: the record of a check answered later is deleted too', async () => {
    const { asked, client } = model();
    const { log } = await startWorker(detection, 'silent', client);
    await log.deliver(records(0, turns(3)));
    await log.deliver(others(3));
    await asked[0]!(0.1);
    await log.settled();
    expect(log.checks).toHaveLength(1);
    expect(log.compacted('checks').size).toBe(0);
  });
});

it('a revoked partition deletes no summaries', async () => {
  const { log } = await startWorker(detection);
  await log.deliver(records(0, [...calls(1), { sessionId: 's-1', type: 'session_ended' }]));
  log.crash();
  await log.takeOver();
  await log.deliver(records(2, calls(1, { sessionId: 's-2' })));
  expect(tombstones(log)).toEqual([]);
});
