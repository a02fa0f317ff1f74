import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { databaseCheck, measureReadiness, type Readiness } from '../src/health.ts';

it.each<[number, Readiness]>([
  [1, {}],
  [1, { kafka: { ok: true }, database: { ok: true } }],
  [0, { kafka: { ok: false, detail: 'no broker' }, database: { ok: true } }],
])('loopwatch_ready: is %i for %j', async (value, checks) => {
  const registry = new Registry();
  measureReadiness(() => Promise.resolve(checks), registry);
  expect(await registry.metrics()).toContain(`\nloopwatch_ready ${String(value)}\n`);
});

it('databaseCheck: asks a database that does not answer once, and says so', async () => {
  const asked: ((rows: never[]) => void)[] = [];
  const query = () => new Promise<never[]>((resolve) => asked.push(resolve));
  const check = databaseCheck({ kind: 'postgres', query }, 10);
  const silent = { ok: false, detail: 'The database has not answered for 0.01 s' };
  expect([await check(), await check()]).toEqual([silent, silent]);
  expect(asked).toHaveLength(1);
  asked[0]?.([]);
  const answered = check();
  asked.at(-1)?.([]);
  expect(await answered).toEqual({ ok: true, detail: 'postgres' });
});
