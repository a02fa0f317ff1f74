import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { measureReadiness, type Readiness } from '../src/health.ts';

it.each<[number, Readiness]>([
  [1, {}],
  [1, { kafka: { ok: true }, database: { ok: true } }],
  [0, { kafka: { ok: false, detail: 'no broker' }, database: { ok: true } }],
])('loopwatch_ready: is %i for %j', async (value, checks) => {
  const registry = new Registry();
  measureReadiness(() => Promise.resolve(checks), registry);
  expect(await registry.metrics()).toContain(`\nloopwatch_ready ${String(value)}\n`);
});
