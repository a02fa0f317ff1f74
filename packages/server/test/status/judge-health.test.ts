import { Counter, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { JudgeHealth } from '../../src/status/judge-health.ts';

const MINUTE = 60_000;

function setUp() {
  const registry = new Registry();
  const counter = new Counter({
    name: 'loopwatch_semantic_checks_total',
    help: '-',
    labelNames: ['result'],
    registers: [registry],
  });
  let now = 0;
  const health = new JudgeHealth(registry, () => now);
  const later = (minutes: number) => {
    now += minutes * MINUTE;
  };
  return { health, counter, later };
}

it('judge: is failing if most of at least six checks failed', async () => {
  const { health, counter } = setUp();
  counter.inc({ result: 'malformed' }, 5);
  expect(await health.read()).toEqual({ checks: 5, failed: 5, since: 0, failing: false });
  counter.inc({ result: 'timeout' }, 1);
  counter.inc({ result: 'none' }, 5);
  counter.inc({ result: 'skipped' }, 100);
  expect(await health.read()).toEqual({ checks: 11, failed: 6, since: 0, failing: true });
  counter.inc({ result: 'loop' }, 1);
  expect(await health.read()).toMatchObject({ failing: false });
});

it('judge: forgets failures of more than half an hour ago', async () => {
  const { health, counter, later } = setUp();
  counter.inc({ result: 'error' }, 92);
  later(1);
  expect(await health.read()).toMatchObject({ failed: 92, failing: true });
  later(31);
  counter.inc({ result: 'none' }, 2);
  expect(await health.read()).toEqual({ checks: 2, failed: 0, since: MINUTE, failing: false });
});

it('judge: is unknown without a worker in the process, and before the first check', async () => {
  expect(await new JudgeHealth(new Registry(), () => 0).read()).toBeNull();
  expect(await setUp().health.read()).toBeNull();
});
