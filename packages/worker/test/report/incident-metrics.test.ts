import { describe, expect, it } from 'vitest';
import { LabelValues, MAX_LABEL_VALUES } from '../../src/report/incident-metrics.ts';
import { calls, metric, records, startWorker } from '../fakes.ts';

describe('label values from producer names', () => {
  it('the first 20 names get their own label value, further ones "other"', () => {
    const labels = new LabelValues();
    const names = Array.from({ length: 1_000 }, (_, i) => `agent ${i}`);
    const values = names.map((name) => labels.of(name));
    expect(values.slice(0, MAX_LABEL_VALUES)).toEqual(names.slice(0, MAX_LABEL_VALUES));
    expect(new Set(values.slice(MAX_LABEL_VALUES))).toEqual(new Set(['other']));
    expect(labels.of('agent 3')).toBe('agent 3');
    expect([labels.of(null), labels.of('')]).toEqual(['unknown', 'unknown']);
  });

  it('loop metrics: labelled by agent and model, with the age of the oldest loop', async () => {
    const { log, registry, clock, worker } = await startWorker(
      { tool_call_loop: { max_repeats: 3 } },
      'fatal',
    );
    const since = clock.now;
    const run = (sessionId: string, from: number, timestamp: number) =>
      records(from, calls(4, { sessionId, agent: 'coder', model: 'm-1', timestamp }));
    const labels = 'agent="coder",model="m-1"';
    const age = () => metric(registry, `loopwatch_incidents_oldest_age_seconds{${labels}}`);
    await log.deliver(run('s-1', 0, since));
    clock.now += 30_000;
    await log.deliver(run('s-2', 4, clock.now));
    expect(await metric(registry, `loopwatch_loops_total{detector="tool-repeat",${labels}}`)).toBe(2);
    expect(await age()).toBe(30);
    log.crash();
    await log.takeOver();
    expect(await age()).toBe(30);
    clock.now += 90_000;
    expect(await age()).toBeUndefined();
    await worker.stop();
  });
});
