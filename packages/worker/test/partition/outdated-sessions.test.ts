import { readFileSync } from 'node:fs';
import type { StepPosition } from '@loopwatch/log';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { STATE_FORMAT } from '../../src/partition/state.ts';
import { records, startWorker } from '../fakes.ts';

/** What a worker of an earlier version had stored: three sessions, with snapshots of version 6. */
const recorded = z
  .object({
    position: z.number(),
    resumeFrom: z.number(),
    values: z.array(z.record(z.string(), z.unknown())),
    state: z.record(z.string(), z.string()),
    incidents: z.object({ 's-gone': z.string(), 's-open': z.string() }),
  })
  .parse(JSON.parse(readFileSync(new URL('snapshots-6.json', import.meta.url), 'utf8')));

/** A session's next call and its result. */
function next(sessionId: string, path: string) {
  const time = 1_760_000_010_000;
  return [
    { sessionId, time, type: 'tool_call_request', name: 'read_file', args: { path } },
    { sessionId, time, type: 'tool_result', result: 'same' },
  ];
}

/** A worker of this version that has taken the partition over. @param first the first record that the log still holds */
async function upgraded(first: number, change: (state: Map<string, string>) => void = () => undefined) {
  const started = await startWorker({ preset: 'balanced' });
  const { position, resumeFrom, values } = recorded;
  const state = new Map(Object.entries(recorded.state));
  change(state);
  const left = records(0, values).filter(({ offset }) => offset >= first);
  started.log.load(0, { records: left, committed: { position, resumeFrom }, state });
  await started.log.takeOver();
  await started.log.settled();
  return started;
}

const told = (log: Awaited<ReturnType<typeof upgraded>>['log']) =>
  log.verdicts.map(({ incidentId, sessionId, phase, outcome, count }) => ({
    incidentId,
    sessionId,
    phase,
    outcome,
    count,
  }));

it('upgrade: a session whose snapshot is outdated is rebuilt from its records', async () => {
  const { log, worker } = await upgraded(0);
  expect(log.verdicts).toEqual([]);
  await log.deliver(records(30, [...next('s-half', 'a'), ...next('s-open', 'other')]));
  expect(told(log)).toEqual([
    { incidentId: expect.any(String), sessionId: 's-half', phase: 'opened', outcome: undefined, count: 3 },
    {
      incidentId: recorded.incidents['s-open'],
      sessionId: 's-open',
      phase: 'resolved',
      outcome: 'recovered',
      count: 6,
    },
  ]);
  await worker.stop();
});

it('upgrade: the incidents of a session whose records are gone end once, with the reason', async () => {
  const { log, worker, lines } = await upgraded(12);
  const end = {
    incidentId: recorded.incidents['s-gone'],
    sessionId: 's-gone',
    phase: 'resolved',
    outcome: 'ended',
    count: 6,
  };
  expect(told(log)).toEqual([end]);
  expect(log.verdicts[0]?.reason).toContain('another version of Loopwatch');
  expect(log.kept().has('session/s-gone')).toBe(false);
  expect(lines.filter(({ level }) => level === 'warn').map(({ msg }) => msg)).toContain(
    'Session snapshots are of another version; these sessions are rebuilt from their records',
  );
  log.crash();
  await log.takeOver();
  await log.settled();
  expect(told(log)).toEqual([end]);
  await worker.stop();
});

it.each([
  ['settings that this version cannot read', '{"v":1,"versions":[{"from":0,"settings":{"preset":7}}]}'],
  ['settings of another hash', '{"v":1,"versions":[]}'],
])('upgrade: sessions are rebuilt with the current settings after %s', async (_, settings) => {
  const { log, worker } = await upgraded(0, (state) => state.set('settings', settings));
  await log.deliver(records(30, next('s-half', 'a')));
  expect(told(log)).toMatchObject([{ sessionId: 's-half', phase: 'opened', count: 3 }]);
  await worker.stop();
});

it('upgrade: a snapshot that is no JSON costs its session nothing', async () => {
  const { log, worker } = await upgraded(0, (state) => state.set('session/s-half', 'no json'));
  await log.deliver(records(30, next('s-half', 'a')));
  expect(told(log)).toMatchObject([{ sessionId: 's-half', phase: 'opened', count: 3 }]);
  await worker.stop();
});

it('upgrade: an incident that has ended since the snapshot does not end again', async () => {
  const started = await startWorker({ preset: 'balanced' });
  const { log, worker } = started;
  const values = [...recorded.values, ...next('s-open', 'other')];
  const state = new Map(Object.entries(recorded.state));
  log.load(0, { records: records(0, values), committed: { position: 32, resumeFrom: 30 }, state });
  await log.takeOver();
  await log.settled();
  expect(told(log)).toEqual([]);
  await worker.stop();
});

describe('a worker that saves the state of each session at once', () => {
  /** More records than the shortest replay, so that what comes before them needs a snapshot. */
  const noise = Array.from({ length: 6_000 }, () => 'no event');
  const calls = [next('s', 'a'), next('s', 'a')].flat();

  async function left() {
    const { log, worker } = await startWorker({ preset: 'balanced' }, 'debug', undefined, undefined, {
      maxReplayRecords: 0,
    });
    await log.deliver(records(0, calls));
    await log.deliver(records(4, noise));
    await worker.stop();
    const state = new Map(log.kept());
    expect(state.has('session/s')).toBe(true);
    return { committed: log.committed(), state };
  }

  /** A worker of this version that continues after `values`. */
  async function continued(
    values: readonly unknown[],
    committed: StepPosition,
    state: ReadonlyMap<string, string>,
  ) {
    const { log, worker } = await startWorker({ preset: 'balanced' });
    log.load(0, { records: records(0, values), committed, state: new Map(state) });
    await log.deliver(records(values.length, next('s', 'a')));
    const verdicts = told(log);
    await worker.stop();
    return verdicts;
  }

  const opened = [expect.objectContaining({ sessionId: 's', phase: 'opened', count: 3 })];

  it('downgrade: a version that cannot read the state rebuilds the sessions from the records', async () => {
    const { committed } = await left();
    const { position, rebuildFrom = -1 } = committed;
    expect(rebuildFrom).toBe(0);
    const withoutState = { position, resumeFrom: rebuildFrom };
    expect(await continued([...calls, ...noise], withoutState, new Map())).toEqual(opened);
  });

  it.each([
    ['', {}],
    [', with a mark of its own', { mark: { format: 0, since: 0 } }],
  ])(
    'upgrade again: state that is older than the work of another version%s counts for nothing',
    async (_, more) => {
      const { state } = await left();
      // The other version had the session end its loop, and saved nothing.
      const values = [...calls, ...noise, ...next('s', 'other')];
      const committed = { position: values.length, resumeFrom: values.length - 1, ...more };
      expect(await continued(values, committed, state)).toEqual([]);
      const own = { ...committed, rebuildFrom: 0, mark: { format: STATE_FORMAT, since: values.length } };
      expect(await continued(values, own, state)).toEqual([]);
      // Without that work, the session goes on.
      const before = { position: values.length - 2, resumeFrom: values.length - 2 };
      expect(await continued(values.slice(0, -2), before, state)).toEqual(opened);
    },
  );
});
