import { describe, expect, it } from 'vitest';
import { calls, metric, records, startWorker } from './fakes.ts';

const BATCH = 5_000;

describe('a worker under pressure', () => {
  it('a worker under pressure: keeps max_sessions of 100,000 sessions and counts the evicted ones', async () => {
    const { log, registry } = await startWorker({ session: { max_sessions: 10_000 } }, 'silent');
    const total = 100_000;
    for (let first = 0; first < total; first += BATCH) {
      const values = Array.from(
        { length: BATCH },
        (_, i) => `{"sessionId":"s-${first + i}","type":"tool_call_request","name":"ls","args":{}}`,
      );
      await log.deliver(records(first, values));
      log.forget();
    }
    expect(await metric(registry, 'loopwatch_active_sessions')).toBe(10_000);
    expect(await metric(registry, 'loopwatch_evicted_sessions_total{reason="lru"}')).toBe(total - 10_000);
    expect(await metric(registry, 'loopwatch_events_total{type="tool_call_request"}')).toBe(total);
  });

  it('a worker under pressure: a hot session does not change the verdicts of the others', async () => {
    const one = calls(7);
    const quiet = (i: number) => ({ sessionId: `q-${i % 100}`, type: 'content', text: `part ${i}. ` });
    const hot = (i: number) => ({
      ...(one[0] as object),
      sessionId: 'hot',
      // A loop of five at the end of each hundred.
      args: i % 100 < 95 ? { n: i } : { n: 'same' },
    });
    const { log } = await startWorker({}, 'silent');
    const total = 60_000;
    for (let first = 0; first < total; first += BATCH) {
      const values = Array.from({ length: BATCH }, (_, k) => {
        const i = first + k;
        return i % 3 === 0 ? hot(i / 3) : quiet(i);
      });
      await log.deliver(records(first, values));
    }
    const opened = log.verdicts.filter(({ phase }) => phase === 'opened');
    expect(opened).toHaveLength(total / 3 / 100);
    expect(new Set(opened.map(({ sessionId }) => sessionId))).toEqual(new Set(['hot']));
  });

  it('a worker under pressure: continues past a bad record anywhere in a batch, and keeps its bytes', async () => {
    const { log, registry } = await startWorker({}, 'silent');
    const poison = [
      '{"v":1,"type":',
      '[]',
      '\u0000\u0001',
      'null',
      '{"type":"content","sessionId":"s","text":7}',
    ];
    const values = calls(5).flatMap((call, i) => [call, poison[i]]);
    await log.deliver(records(0, values));
    expect(log.verdicts.map(({ phase, count }) => [phase, count])).toEqual([['opened', 5]]);
    expect(log.deadLetters.map(({ value }) => String(value))).toEqual(poison);
    expect(await metric(registry, 'loopwatch_events_total{type="tool_call_request"}')).toBe(5);
  });
});
