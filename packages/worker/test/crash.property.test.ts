import { detectionSchema } from '@loopwatch/contract';
import fc from 'fast-check';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { Worker } from '../src/index.ts';
import { records, topics } from './fakes.ts';
import { MemoryRunner } from './memory-runner.ts';

const sentence = 'and once more the same sentence is told to whoever still listens to it, again. ';
const call = (path: string) => ({ type: 'tool_call_request', name: 'read_file', args: { path } });

/** Few shapes, so that loops of all kinds come about. */
const body = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(call('a'), call('b')) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      { type: 'tool_result', result: 'same' },
      { type: 'tool_result', result: 'no', isError: true },
    ),
  },
  { weight: 4, arbitrary: fc.constant({ type: 'content', text: sentence.repeat(3) }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      { type: 'turn_started' },
      { type: 'turn_finished', usage: { inputTokens: 5, outputTokens: 7 } },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      { type: 'prompt_started', text: 'go on' },
      { type: 'retry' },
      { type: 'session_ended' },
    ),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'control', set: { enabled: true } }) },
  { weight: 1, arbitrary: fc.constantFrom('no json', { type: 'content' }) },
);
/** The same thing several times, as in a loop. */
const run = fc.record({
  body,
  session: fc.nat(3),
  times: fc.integer({ min: 1, max: 6 }),
  pause: fc.constantFrom(10, 10, 10, 10, 10, 10, 5_000_000),
});

/** What happens to the process between two batches, or to the write of one. */
const fate = fc.constantFrom('nothing', 'nothing', 'crash', 'write fails');
const batches = fc.array(fc.record({ length: fc.integer({ min: 1, max: 12 }), fate }), {
  minLength: 1,
  maxLength: 25,
});

async function start(preset: string, maxReplayRecords: number, restoredFirst = Infinity) {
  const log = new MemoryRunner(topics.events);
  // Sessions without a summary yet are restored first, however many they are.
  if (restoredFirst < Infinity) log.keep('summarized', String(Number.MAX_SAFE_INTEGER));
  const worker = new Worker({
    system: 'kafka',
    runner: log,
    topics,
    maxReplayRecords,
    restoredFirst,
    // Longer than the test: what a tick tells depends on when it comes.
    summaryIntervalMs: 600_000,
    detection: detectionSchema.parse({ preset }),
    registry: new Registry(),
    logger: pino({ level: 'silent' }),
    now: () => 0,
  });
  await worker.start();
  return { log, worker };
}

const told = ({ published }: MemoryRunner) =>
  published.map(({ topic, key, value }) => [topic, String(key), String(value)]);
/** What does not depend on where batches end: a session that is told of twice in one is told of once. */
const lasting = (log: MemoryRunner) => ({
  inOrder: told(log).filter(([topic]) => topic !== topics.sessions),
  sessions: log.compacted('sessions'),
});

it.each(['stream', 'balanced'])(
  'exactly once: random crashes change neither results nor their order (preset %s)',
  async (preset) => {
    let verdicts = 0;
    let summaries = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(run, { minLength: 1, maxLength: 60 }),
        batches,
        fc.constantFrom(0, 5, 20, 50),
        fc.constantFrom(0, 1, Infinity),
        async (runs, cuts, reach, restoredFirst) => {
          let time = 1_760_000_000_000;
          const values = runs.flatMap(({ body: value, session, times, pause }) => {
            time += pause;
            const sessionId = `s-${String(session)}`;
            const one = typeof value === 'string' ? value : { sessionId, time, ...value };
            return Array.from({ length: times }, () => one);
          });
          const all = records(0, values);
          const calm = await start(preset, 1000);
          const whole = await start(preset, 1000);
          await whole.log.deliver(all);

          const { log, worker } = await start(preset, reach, restoredFirst);
          let at = 0;
          for (let i = 0; at < all.length; i += 1) {
            const cut = cuts[i % cuts.length]!;
            const batch = all.slice(at, at + cut.length);
            at += cut.length;
            await calm.log.deliver(batch);
            if (cut.fate === 'write fails') {
              log.gate = Promise.reject(new Error('fenced'));
              log.gate.catch(() => undefined);
              await expect(log.deliver(batch)).rejects.toThrow('fenced');
              log.gate = Promise.resolve();
              await log.takeOver();
            } else {
              await log.deliver(batch);
              if (cut.fate === 'crash') {
                log.crash();
                await log.takeOver();
              }
            }
          }
          expect(told(log)).toEqual(told(calm.log));
          expect(lasting(log)).toEqual(lasting(whole.log));
          verdicts += log.verdicts.length;
          summaries += log.summaries.length;
          for (const each of [worker, calm.worker, whole.worker]) await each.stop();
        },
      ),
      { numRuns: 60 },
    );
    // Loops were there to be told, and sessions more often than by their first event.
    expect(verdicts).toBeGreaterThan(60);
    expect(summaries).toBeGreaterThan(60 * 3);
  },
);
