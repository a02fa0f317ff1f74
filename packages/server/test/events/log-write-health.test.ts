import { pino } from 'pino';
import { expect, it } from 'vitest';
import { LogWriteHealth } from '../../src/events/log-write-health.ts';

function intakeAt(clock: { now: number }) {
  const lines: string[] = [];
  const write = (line: string) => lines.push((JSON.parse(line) as { msg: string }).msg);
  return { lines, intake: new LogWriteHealth(pino({}, { write }), () => clock.now) };
}
const full = new Error('no space left on device');

it('a log that refuses posted events is told of once, then once a minute, and when it is over', () => {
  const clock = { now: 0 };
  const { lines, intake } = intakeAt(clock);
  intake.succeeded();
  for (; clock.now < 90_000; clock.now += 1_000) intake.failed(full, 5);
  intake.succeeded();
  intake.succeeded();
  const refusal = 'The event log does not take posted events: no space left on device';
  expect(lines).toEqual([
    refusal,
    refusal,
    'The event log takes posted events again after 90 s; 450 were refused meanwhile',
  ]);
});

it('a log that refuses posted events is trouble until it takes some, or nothing has failed for 30 s', () => {
  const clock = { now: 0 };
  const { intake } = intakeAt(clock);
  expect(intake.trouble).toBeUndefined();
  intake.failed(full, 1);
  expect(intake.trouble).toBe('no space left on device');
  intake.succeeded();
  expect(intake.trouble).toBeUndefined();
  intake.failed(full, 1);
  clock.now = 30_000;
  expect(intake.trouble).toBe('no space left on device');
  clock.now = 30_001;
  expect(intake.trouble).toBeUndefined();
});
