import fc from 'fast-check';
import type { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { eventsOf, loopingTurns } from '../../../detectors/test/looping-turns.ts';
import { metric, records, startWorker } from '../fakes.ts';
import type { MemoryRunner } from '../memory-runner.ts';

/** What each loop wasted, by its latest verdict, or by a later summary while it is open. */
function wastedOf({ verdicts, summaries }: MemoryRunner) {
  const latest = new Map(verdicts.map((verdict) => [verdict.incidentId, verdict.wasted]));
  const last = summaries.at(-1);
  const open = typeof last === 'object' ? (last.openIncidents ?? []) : [];
  for (const { id, wasted } of open) latest.set(id, wasted);
  const all = [...latest.values()].filter((wasted) => wasted !== undefined);
  return {
    calls: all.reduce((sum, { calls }) => sum + calls, 0),
    tokens: all.reduce((sum, { tokens }) => sum + (tokens ?? 0), 0),
  };
}

/** Over all labels. */
async function sumOf(registry: Registry, name: string): Promise<number> {
  const { values } = (await registry.getSingleMetric(name)?.get()) ?? { values: [] };
  return values.reduce((sum, { value }) => sum + value, 0);
}

describe('counters of what loops wasted', () => {
  it('count each call once, also while loops that overlap are still open', async () => {
    let overlapping = 0;
    await fc.assert(
      fc.asyncProperty(loopingTurns, fc.integer({ min: 5, max: 60 }), async (turns, batch) => {
        const { log, registry, worker } = await startWorker({ preset: 'balanced' }, 'fatal');
        const events = eventsOf(turns).map((event, i) => ({
          ...event,
          sessionId: 's-1',
          time: 1_760_000_000_000 + i,
        }));
        for (let at = 0; at < events.length; at += batch)
          await log.deliver(records(at, events.slice(at, at + batch)));
        // A summary of the session as it is now.
        await log.deliver(
          records(events.length, [{ sessionId: 's-1', type: 'session_ended', time: 1_760_000_099_000 }]),
        );
        const { calls, tokens } = wastedOf(log);
        expect(await metric(registry, 'loopwatch_wasted_calls_total')).toBe(calls);
        expect(await metric(registry, 'loopwatch_wasted_tokens_total')).toBe(tokens);
        for (const amount of ['calls', 'tokens', 'usd']) {
          const whole = await sumOf(registry, `loopwatch_wasted_${amount}_total`);
          for (const by of ['agent', 'tool'])
            expect(await sumOf(registry, `loopwatch_${by}_wasted_${amount}_total`)).toBeCloseTo(whole, 6);
        }
        const all = events.filter(({ type }) => type === 'tool_call_request').length;
        expect(calls).toBeLessThanOrEqual(all);
        const costs = new Map(
          log.verdicts.map(({ incidentId, kind, cost }) => [incidentId, kind === 'loop' ? cost.calls : 0]),
        );
        if ([...costs.values()].reduce((sum, own) => sum + own, 0) > calls) overlapping += 1;
        await worker.stop();
      }),
      { seed: 4, numRuns: 25 },
    );
    expect(overlapping).toBeGreaterThan(3);
  });

  it('grow with a loop between two of its verdicts', async () => {
    const { log, registry, worker } = await startWorker(
      { tool_call_loop: { max_repeats: 3 } },
      'fatal',
      undefined,
      5,
    );
    const call = { sessionId: 's-1', type: 'tool_call_request', name: 'read_file', args: { path: 'a' } };
    await log.deliver(
      records(
        0,
        Array.from({ length: 11 }, () => call),
      ),
    );
    await expect.poll(() => metric(registry, 'loopwatch_wasted_calls_total')).toBe(11);
    expect(log.verdicts.at(-1)?.cost.calls).toBe(6);
    await worker.stop();
  });
});
