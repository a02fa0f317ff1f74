import type { NotificationStatus } from '@loopwatch/contract/api';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { type ServerState, watchServerState } from '../src/metrics/metrics.ts';

const status = { name: 'ops', type: 'webhook', waiting: 2, failingSince: 5 } as NotificationStatus;

function scraped(notifications: ServerState['notifications']): Promise<string> {
  const registry = new Registry();
  watchServerState(registry, {
    load: () => ({ connections: 1, idle: 1, waiting: 0 }),
    topics: () => [],
    backtests: () => ({ queued: 0, running: 0 }),
    lastRetentionAt: () => null,
    notifications,
  });
  return registry.metrics();
}

it('metrics: a scrape reads the status of receivers once', async () => {
  let reads = 0;
  const text = await scraped(() => {
    reads += 1;
    return Promise.resolve([status]);
  });
  expect(text).toContain('loopwatch_notifications_waiting{name="ops",type="webhook"} 2');
  expect(text).toContain('loopwatch_notifications_failing{name="ops",type="webhook"} 1');
  expect(reads).toBe(1);
});

it('metrics: a scrape succeeds while the database is unavailable', async () => {
  const text = await scraped(() => Promise.reject(new Error('no connection')));
  expect(text).toContain('loopwatch_server_backtests{status="queued"} 0');
});
