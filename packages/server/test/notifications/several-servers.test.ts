import { notificationSchema } from '@loopwatch/contract';
import { waitFor } from '@loopwatch/testkit';
import { Registry } from 'prom-client';
import { expect, it, onTestFinished } from 'vitest';
import { onBothDatabases } from '../../../storage/test/databases.ts';
import { writeVerdicts } from '../../src/incidents/write-verdicts.ts';
import type { NotificationChannel } from '../../src/index.ts';
import { createServerMetrics } from '../../src/metrics/metrics.ts';
import { Notifications } from '../../src/notifications/notifications.ts';
import { lockChanges } from '../../src/storage/change-lock.ts';
import { silent } from '../running-server.ts';
import { verdict } from '../verdicts.ts';
import { startReceiver } from './receiver.ts';

const INCIDENTS = 30;

onBothDatabases(({ kind, make }) => {
  it('notifications: servers side by side send each message once, whichever of them read the verdict', async () => {
    const receiver = await startReceiver();
    onTestFinished(() => receiver[Symbol.asyncDispose]());
    const { database, open } = await make();
    const entry = { name: 'ops', type: 'webhook', url: receiver.url, secret: 's', max_per_minute: 1000 };
    const channels = [notificationSchema.parse(entry) as NotificationChannel];
    const databases = kind === 'postgres' ? [database, await open()] : [database];
    const servers = databases.map((one) => {
      const metrics = createServerMetrics(new Registry());
      const common = { baseUrl: 'https://loops.test', logger: silent, metrics, now: Date.now };
      return { database: one, notifications: new Notifications({ ...common, database: one, channels }) };
    });
    for (const { notifications } of servers) {
      await notifications.start();
      onTestFinished(() => notifications.stop());
    }
    await Promise.all(
      Array.from({ length: INCIDENTS }, async (_, at) => {
        const server = servers[at % servers.length];
        if (server === undefined) throw new Error('there is a server');
        const now = Date.now();
        const part = { incidentId: `i-${at}`, sessionId: `s-${at}`, detectedAt: now };
        await server.database.transaction(async (tx) => {
          await lockChanges(tx);
          await writeVerdicts(tx, [{ verdict: verdict(part), arrivedAt: now }]);
          await server.notifications.enqueue(tx, [part.incidentId]);
        });
      }),
    );
    const [first] = servers;
    await waitFor(async () => (await first?.notifications.status())?.[0]?.sent === INCIDENTS);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(ids).toHaveLength(INCIDENTS);
    expect(new Set(ids).size).toBe(INCIDENTS);
  });
});
