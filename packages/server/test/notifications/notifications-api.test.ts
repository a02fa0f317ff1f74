import { notificationSchema } from '@loopwatch/contract';
import { type NotificationStatus, statusSchema } from '@loopwatch/contract/api';
import { waitFor } from '@loopwatch/testkit';
import { expect, it } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import type { NotificationChannel } from '../../src/index.ts';
import { startServer, topics } from '../running-server.ts';
import { summary, verdict } from '../verdicts.ts';
import { startReceiver } from './receiver.ts';

const database = sharedPglite();

it('notifications: a verdict of the topic is delivered, and API, status and metrics show it without secrets', async () => {
  await using receiver = await startReceiver();
  const entry = { name: 'ops', type: 'webhook', url: `${receiver.url}/very-secret`, secret: 'very-secret' };
  const { url, log, server } = await startServer({
    openDatabase: database,
    notifications: [notificationSchema.parse({ ...entry, when: { kind: 'loop' } }) as NotificationChannel],
    publicUrl: 'https://loops.test/',
  });
  log.appendVerdict(verdict({ detectedAt: Date.now() }));
  const [request] = await waitFor(() => receiver.received.length > 0 && receiver.received);
  expect(request?.json).toMatchObject({
    type: 'incident.opened',
    data: { url: 'https://loops.test/incidents/i-1' },
  });
  const get = async (path: string) => (await fetch(url + path)).text();
  const listed = async () =>
    (JSON.parse(await get('/api/v1/notifications')) as { items: NotificationStatus[] }).items;
  await waitFor(async () => (await listed())[0]?.sent === 1);
  const target = receiver.url.replace('http://', '');
  expect(await listed()).toMatchObject([{ name: 'ops', target, waiting: 0, when: { kind: 'loop' } }]);
  const status = await get('/api/v1/status');
  expect(statusSchema.parse(JSON.parse(status)).notifications).toEqual(await listed());
  const metrics = await get('/metrics');
  expect(metrics).toContain('loopwatch_notifications_failing{name="ops",type="webhook"} 0');
  expect(metrics).toContain('loopwatch_notifications_waiting{name="ops",type="webhook"} 0');
  expect(status + metrics + JSON.stringify(await listed())).not.toContain('very-secret');
  await server.stop();
});

it('notifications: rising cost between verdicts makes an incident due', async () => {
  await using receiver = await startReceiver();
  const entry = { name: 'ops', type: 'webhook', url: receiver.url, secret: 'abc', when: { min_usd: 1 } };
  const { log, server, stored } = await startServer({
    openDatabase: database,
    notifications: [notificationSchema.parse(entry) as NotificationChannel],
  });
  const cost = { ...verdict().cost, usd: 0.5 };
  log.appendVerdict(verdict({ detectedAt: Date.now(), cost }));
  await stored();
  const standing = { id: 'i-1', count: 40, cost: { ...cost, usd: 1.5 } };
  const now = summary('s-1', { events: 90, openIncidents: [standing] });
  log.append(topics.sessions, JSON.stringify(now), { key: 's-1', timestamp: Date.now() });
  const [request] = await waitFor(() => receiver.received.length > 0 && receiver.received);
  expect(request?.json).toMatchObject({ data: { incident: { cost: { usd: 1.5 } } } });
  await server.stop();
});

it('notifications: operators can send a test message; a failure has a reason', async () => {
  await using receiver = await startReceiver();
  const entry = { name: 'ops', type: 'webhook', url: receiver.url, secret: 'very-secret' };
  const { url, server } = await startServer({
    openDatabase: database,
    tokens: { operator: 'the-operators-token', viewer: 'the-viewers-token-1' },
    notifications: [notificationSchema.parse(entry) as NotificationChannel],
  });
  const test = (token: string, name = 'ops') =>
    fetch(`${url}/api/v1/notifications/${name}/test`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    });
  expect((await test('the-viewers-token-1')).status).toBe(403);
  expect((await test('the-operators-token', 'none')).status).toBe(404);
  expect(await (await test('the-operators-token')).json()).toEqual({ delivered: true });
  expect(receiver.received.map(({ json }) => json['type'])).toEqual(['test']);
  receiver.reply = () => ({ status: 401, text: 'not very-secret' });
  const refused = await test('the-operators-token');
  expect(refused.status).toBe(502);
  expect(await refused.json()).toMatchObject({ detail: 'Not delivered: HTTP 401 not ******' });
  await server.stop();
});
