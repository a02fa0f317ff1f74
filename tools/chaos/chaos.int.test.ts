import { expect, it, onTestFailed } from 'vitest';
import { runChaos } from './run.ts';

// `npm run chaos` does the same for longer.
it('chaos: every verdict is published exactly once while workers and brokers are killed, frozen and isolated', async () => {
  const lines: string[] = [];
  onTestFailed(() => console.error(lines.join('\n')));
  const report = await runChaos({
    minutes: 0.75,
    faults: 12,
    kills: 2,
    delivery: 'exactly_once',
    names: 'some',
    seed: 4,
    rate: 300,
    internalMinIsr: 2,
    log: (text) => lines.push(`${new Date().toISOString()} ${text}`),
  });
  const { differences, troubles, verdicts, events, faults, kills, kept, takeovers } = report;
  expect({ differences, troubles }).toEqual({
    differences: { missing: [], duplicate: [], unexpected: [], outOfOrder: [], different: [] },
    troubles: [],
  });
  expect(events.inTopic).toBe(events.written);
  expect(verdicts.found).toBeGreaterThan(300);
  expect(kills).toBeGreaterThanOrEqual(2);
  expect(faults['kill broker']).toBeGreaterThan(0);
  // Snapshots were needed, and some were deleted again.
  expect(takeovers.sessionsRestored).toBeGreaterThan(0);
  expect(kept.tombstones).toBeGreaterThan(0);
}, 600_000);
