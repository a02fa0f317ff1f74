import { waitFor } from '@loopwatch/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { calls, metric, records, startWorker } from './fakes.ts';
import type { MemoryRunner } from './memory-runner.ts';

const detection = { tool_call_loop: { max_repeats: 3 } };
const INTERVAL_MS = 5;
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const lastOf = ({ summaries }: MemoryRunner) => {
  const last = summaries.at(-1);
  return typeof last === 'object' ? last : undefined;
};

async function start(intervalMs?: number) {
  const made = await startWorker(detection, 'fatal', undefined, intervalMs);
  stops.push(() => made.worker.stop());
  return made;
}

describe('live summaries', () => {
  it('live summaries: the last event of a burst is published without a further event, once per session', async () => {
    const { log } = await start(INTERVAL_MS);
    await log.deliver(records(0, calls(120)));
    await waitFor(() => lastOf(log)?.events === 120);
    const told = lastOf(log);
    expect(told?.openIncidents).toMatchObject([{ count: 120, cost: { calls: 120 } }]);
    expect(told?.openIncidents?.[0]?.id).toBe(log.verdicts[0]?.incidentId);
    const after = log.published.length;
    await log.deliver(records(120, calls(1, { sessionId: 's-2' })));
    await waitFor(() => lastOf(log)?.sessionId === 's-2');
    expect(log.published).toHaveLength(after + 1);
  });

  it('live summaries: events missing from them at a crash are published after the takeover', async () => {
    const { log } = await start(200);
    await log.deliver(records(0, calls(5)));
    expect(lastOf(log)).toMatchObject({ events: 3 });
    log.crash();
    await log.takeOver();
    await waitFor(() => lastOf(log)?.events === 5);
    const told = log.published.length;
    log.crash();
    await log.takeOver();
    await log.deliver(records(5, calls(1, { sessionId: 's-2' })));
    await waitFor(() => lastOf(log)?.sessionId === 's-2');
    expect(log.published).toHaveLength(told + 1);
  });

  it('incident metrics: history is quiet at once, and an incident that a pause ended in the same batch is none', async () => {
    const { log, registry, clock } = await start(INTERVAL_MS);
    const then = clock.now - 86_400_000;
    const paused = calls(4, { time: then }).concat(calls(1, { time: then + 7_200_000 }));
    await log.deliver(records(0, [...paused, ...calls(4, { sessionId: 's-2', time: then })]));
    await waitFor(() => lastOf(log)?.sessionId === 's-2' && lastOf(log)?.events === 4);
    expect(await metric(registry, 'loopwatch_incidents_open{detector="tool-repeat"}')).toBe(0);
    expect(await metric(registry, 'loopwatch_incidents_quiet{detector="tool-repeat"}')).toBe(1);
    expect(await metric(registry, 'loopwatch_wasted_calls_total')).toBe(8);
  });

  it('incident metrics: an incident is quiet once its session has been silent for a minute', async () => {
    const { log, registry, clock } = await start(INTERVAL_MS);
    const counts = async () => [
      await metric(registry, 'loopwatch_incidents_open{detector="tool-repeat"}'),
      await metric(registry, 'loopwatch_incidents_quiet{detector="tool-repeat"}'),
    ];
    await log.deliver(records(0, calls(4)));
    expect(await counts()).toEqual([1, 0]);
    clock.now += 60_000;
    await waitFor(() => lastOf(log)?.events === 4);
    clock.now += 60_000;
    expect(await counts()).toEqual([0, 1]);
    await log.deliver(records(4, calls(1)));
    await waitFor(() => lastOf(log)?.events === 5);
    expect(await counts()).toEqual([1, 0]);
  });
});
