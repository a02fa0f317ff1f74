import type { AgentEvent, DetectionInput } from '@loopwatch/contract';
import { describe, expect, test } from 'vitest';
import { analyzer, call, text } from '../sessions.ts';

/** Characters that a session's state takes after so many events. */
function sizes(
  config: DetectionInput,
  eventOf: (n: number) => AgentEvent,
  counts: readonly number[],
): number[] {
  const session = analyzer(config);
  let n = 0;
  return counts.map((count) => {
    for (; n < count; n += 1) session.push({ ...eventOf(n), time: n * 1000 });
    return JSON.stringify(session.snapshot()).length;
  });
}

/** Always eight letters, never the same. */
const fresh = (n: number): string => (n * 7919 + 1e11).toString(36);

describe('the memory of a session', () => {
  test.each<{ name: string; config: DetectionInput; eventOf: (n: number) => AgentEvent }>([
    {
      name: 'calls that are similar at most by chance',
      config: { preset: 'similar' },
      eventOf: (n) => call('read', { path: fresh(n) }),
    },
    {
      name: 'calls of ever new tools',
      config: { preset: 'similar' },
      eventOf: (n) => call(`tool-${fresh(n)}`, {}),
    },
    {
      name: 'an endlessly repeated call',
      config: { preset: 'proxy' },
      eventOf: () => call('read', { path: 'a' }),
    },
    { name: 'endless text', config: { preset: 'stream' }, eventOf: (n) => text(`${fresh(n)} `) },
    {
      name: 'endlessly repeated text',
      config: { preset: 'stream' },
      eventOf: () => text('all work and no play makes a dull boy; '),
    },
    {
      name: 'calls with results, and reasoning',
      config: { preset: 'balanced' },
      eventOf: (n) =>
        (
          [
            { type: 'turn_started' },
            { type: 'thought', text: `${fresh(n)} ` },
            call('read', { path: fresh(n) }),
            { type: 'tool_result', result: fresh(n + 1) },
          ] as const
        )[n % 4]!,
    },
  ])('does not grow with $name', ({ config, eventOf }) => {
    const [early = 0, late = 0] = sizes(config, eventOf, [1200, 4800]);
    // Offsets and counts have a digit more.
    expect(late).toBeLessThan(early * 1.2);
    expect(late).toBeLessThan(110_000);
  });

  test('contains each step once, even in a turn that may be retried', () => {
    const session = analyzer({ preset: 'balanced' });
    const path = (n: number) => `step-${fresh(n)}/${'x'.repeat(64)}`;
    for (let n = 0; n < 50; n += 1)
      for (const event of [
        { type: 'turn_started' },
        call('read', { path: path(n) }),
        { type: 'tool_result', result: fresh(n + 1) },
      ] as const)
        session.push(event);
    session.push({ type: 'turn_started' });
    session.push(call('read', {}));
    const reloaded = analyzer({ preset: 'balanced' });
    reloaded.restore(JSON.parse(JSON.stringify(session.snapshot())) as ReturnType<typeof session.snapshot>);
    for (const each of [session, reloaded]) {
      const snapshot = each.snapshot();
      expect(snapshot.turn.checkpoint?.turns).toBe(51);
      for (let n = 0; n < 50; n += 1) expect(JSON.stringify(snapshot).split(path(n))).toHaveLength(2);
    }
  });

  test('contains only the times of calls within the window, and nothing of older ones', () => {
    const seconds = (ttl: number) =>
      sizes({ preset: 'proxy', tool_call_loop: { ttl_seconds: ttl } }, () => call('read', {}), [1200])[0] ??
      0;
    const [short, long] = [seconds(10), seconds(1000)];
    expect(long - short).toBeGreaterThan(2000);
  });
});
