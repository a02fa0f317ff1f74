import { expect, it } from 'vitest';
import { metric, records, startWorker } from '../fakes.ts';

const SESSIONS = 6;
const BUSY = 3 * SESSIONS;

/** One call in each session. */
function calls(round: number, first = round * SESSIONS) {
  const values = Array.from({ length: SESSIONS }, (_, n) => ({
    sessionId: `s-${String(n)}`,
    time: 1_760_000_000_000 + round,
    type: 'tool_call_request',
    name: 'read_file',
    args: { path: `of-${String(n)}` },
  }));
  return records(first, values);
}

type State = Map<string, string>;
const set = (key: string, damage: (value: string) => string) => (state: State) => {
  const value = state.get(key) ?? '';
  expect(damage(value)).not.toBe(value);
  state.set(key, damage(value));
};
const renamed = (key: string, to: string) => (state: State) => {
  state.set(to, state.get(key) ?? '');
  state.delete(key);
};
const first = 'session/s-0';
const last = `session/s-${String(SESSIONS - 1)}`;
const damages: Record<string, (state: State) => void> = {
  'a flipped letter': set(last, (value) => value.replace('read_file', 'reae_file')),
  'a flipped digit': set(last, (value) => value.replace('"coveredTo":', '"coveredTo":1')),
  'a snapshot that is cut off': set(last, (value) => value.slice(0, -100)),
  'the end of a snapshot zeroed': set(last, (value) => value.slice(0, -100).padEnd(value.length, '\0')),
  'a snapshot zeroed': set(last, (value) => '\0'.repeat(value.length)),
  'an empty snapshot': set(last, () => ''),
  'two snapshots': (state) => {
    damages['a flipped letter']?.(state);
    set(first, () => 'no json')(state);
  },
  'every snapshot': (state) => {
    for (const key of state.keys()) if (key.startsWith('session/')) state.set(key, 'x');
  },
  'a key': renamed(last, 'sessioo/s-5'),
  'the key of another session': renamed(last, 'session/s-7'),
  'the settings': set('settings', (value) => value.replace('"enabled":true', '"enabled":false')),
  'zeroed settings': set('settings', (value) => '\0'.repeat(value.length)),
  'the offset of summaries': set('summarized', () => '\0\0'),
  'entries that the log could not read': (state) => {
    state.delete(last);
    state.set('unreadable/7', 'the record batch of 70 bytes cannot be read');
  },
};

/** A worker takes over sessions of three calls each from one that was killed. */
async function takenOver(restoredFirst: number, damage: (state: State) => void) {
  const more = { maxReplayRecords: 0, restoredFirst };
  const started = await startWorker({ preset: 'balanced' }, 'debug', undefined, undefined, more);
  const { log, lines } = started;
  for (const round of [0, 1, 2]) await log.deliver(calls(round));
  // Three batches may be within the shortest replay, which needs no snapshots.
  for (let at = BUSY; at < 6_000; at += 500)
    await log.deliver(records(at, Array<string>(500).fill('no event')));
  log.crash();
  log.keep('summarized', String(6_000));
  const state = log.kept() as State;
  expect([...state.keys()].filter((key) => key.startsWith('session/'))).toHaveLength(SESSIONS);
  damage(state);
  lines.length = 0;
  await log.takeOver();
  const errors = () => lines.filter(({ level }) => level === 'error');
  const active = () => metric(started.registry, 'loopwatch_active_sessions');
  return { ...started, errors, active };
}

it.each(Object.entries(damages))(
  'recovery: after damage to %s, sessions continue where they were',
  async (_, damage) => {
    for (const restoredFirst of [0, Infinity]) {
      const { log, worker, errors } = await takenOver(restoredFirst, damage);
      expect(errors()).toMatchObject([
        {
          msg: 'The stored state of the analysis is damaged; sessions without a readable snapshot are rebuilt from their records',
          topic: expect.any(String),
          partition: 0,
          entries: expect.any(Number),
          from: 0,
        },
      ]);
      expect(log.verdicts).toEqual([]);
      await log.deliver(calls(3, 10_000));
      const told = log.verdicts.map(({ sessionId, phase, count }) => [sessionId, phase, count]);
      expect(told.sort()).toEqual(
        Array.from({ length: SESSIONS }, (_each, n) => [`s-${String(n)}`, 'opened', 4]),
      );
      // What was damaged is gone, or written again.
      log.crash();
      await log.takeOver();
      await log.settled();
      expect(errors()).toHaveLength(1);
      await worker.stop();
    }
  },
);

it('recovery: without damage, nothing is said', async () => {
  const { log, worker, errors } = await takenOver(0, () => undefined);
  await log.deliver(calls(3, 10_000));
  expect(log.verdicts).toHaveLength(SESSIONS);
  expect(errors()).toEqual([]);
  await worker.stop();
});

it('recovery: a snapshot without a checksum, as earlier versions wrote it, is restored first', async () => {
  const { log, worker, errors, active } = await takenOver(0, (state) => {
    for (const [key, value] of state) state.set(key, value.replace(/,"crc":\d+\}$/, '}'));
  });
  expect(await active()).toBe(SESSIONS);
  await log.deliver(calls(3, 10_000));
  expect(log.verdicts).toHaveLength(SESSIONS);
  expect(errors()).toEqual([]);
  await worker.stop();
});
