import { waitFor } from '@loopwatch/testkit';
import { expect, it } from 'vitest';
import { records, startWorker } from '../fakes.ts';

/** More than one slice of time restores. */
const SESSIONS = 400;

/** One call in each session. */
function calls(round: number) {
  const values = Array.from({ length: SESSIONS }, (_, n) => ({
    sessionId: `s-${String(n)}`,
    time: 1_760_000_000_000 + round,
    type: 'tool_call_request',
    name: 'read_file',
    args: { path: 'a' },
  }));
  return records(round * SESSIONS, values);
}

/** A worker that takes sessions over from one that was killed after three calls in each, and published all summaries. */
async function takenOver(restoredFirst: number) {
  const started = await startWorker({ preset: 'balanced' }, 'debug', undefined, undefined, {
    maxReplayRecords: 0,
    restoredFirst,
  });
  const { log, registry } = started;
  for (const round of [0, 1, 2]) await log.deliver(calls(round));
  // Three batches may be within the shortest replay, which needs no snapshots.
  for (let at = 3 * SESSIONS; at < 6_000; at += 500)
    await log.deliver(
      records(
        at,
        Array.from({ length: 500 }, () => 'no event'),
      ),
    );
  log.crash();
  log.keep('summarized', String(Number.MAX_SAFE_INTEGER));
  await log.takeOver();
  const active = async (): Promise<number> => {
    const metric = await registry.getSingleMetric('loopwatch_active_sessions')?.get();
    return metric?.values[0]?.value ?? 0;
  };
  return { ...started, active };
}

it('recovery: a session that is not restored yet continues where it was', async () => {
  const { log, worker, active } = await takenOver(0);
  expect(log.verdicts).toEqual([]);
  expect(await active()).toBeLessThan(SESSIONS);
  const [last] = calls(3).slice(-1);
  await log.deliver(records(10_000, [JSON.parse(last?.text ?? '') as object]));
  expect(log.verdicts).toMatchObject([{ sessionId: `s-${String(SESSIONS - 1)}`, phase: 'opened', count: 4 }]);
  await worker.stop();
});

it('recovery: sessions without events are restored as well, after the partition is processed', async () => {
  const { log, worker, active } = await takenOver(0);
  expect(log.kept().has('session/s-0')).toBe(true);
  await waitFor(async () => (await active()) === SESSIONS);
  await worker.stop();
});
