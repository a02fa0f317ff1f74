import { pino } from 'pino';
import { expect, it } from 'vitest';
import { LogWriteHealth } from '../../src/events/log-write-health.ts';

function healthAt(clock: { now: number }) {
  const lines: object[] = [];
  const write = (line: string) => lines.push(JSON.parse(line) as object);
  return {
    lines,
    health: new LogWriteHealth(pino({ base: null, timestamp: false }, { write }), () => clock.now),
  };
}
const full = new Error('no space left on device');

it('log write health: an outage is logged once, then once a minute, and when it ends', () => {
  const clock = { now: 0 };
  const { lines, health } = healthAt(clock);
  health.onSuccess();
  for (; clock.now < 90_000; clock.now += 1_000) health.onFailure(full, 5);
  health.onSuccess();
  health.onSuccess();
  const reason = 'no space left on device';
  expect(lines).toEqual([
    { level: 50, msg: 'Writing events to the log failed', events: 5, reason },
    { level: 50, msg: 'Writing events to the log failed', events: 305, reason },
    { level: 30, msg: 'Writing events to the log works again', seconds: 90, failedEvents: 450 },
  ]);
});

it('log write health: a failure counts until a write succeeds, or for 30 s', () => {
  const clock = { now: 0 };
  const { health } = healthAt(clock);
  expect(health.problem).toBeUndefined();
  health.onFailure(full, 1);
  expect(health.problem).toBe('no space left on device');
  health.onSuccess();
  expect(health.problem).toBeUndefined();
  health.onFailure(full, 1);
  clock.now = 30_000;
  expect(health.problem).toBe('no space left on device');
  clock.now = 30_001;
  expect(health.problem).toBeUndefined();
});
