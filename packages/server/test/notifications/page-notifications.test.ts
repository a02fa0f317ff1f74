import { notificationSchema } from '@loopwatch/contract';
import type { NotificationStatus } from '@loopwatch/contract/api';
import { waitFor } from '@loopwatch/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import type { LoopwatchServer, NotificationChannel } from '../../src/index.ts';
import type { MemoryLog } from '../memory-log.ts';
import { startServer } from '../running-server.ts';
import { verdict } from '../verdicts.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const database = sharedPglite();
let receiver: Receiver;
let url: string;
let log: MemoryLog;
let server: LoopwatchServer;

beforeEach(async () => {
  receiver = await startReceiver();
  const entry = { name: 'ops', type: 'webhook', url: 'http://localhost:9/', secret: 'abc' };
  ({ url, log, server } = await startServer({
    openDatabase: database,
    notifications: [notificationSchema.parse({ ...entry, when: { agent: 'nobody' } }) as NotificationChannel],
  }));
});

afterEach(async () => {
  await server.stop();
  await receiver[Symbol.asyncDispose]();
});

async function send(method: string, name: string, body?: object) {
  const response = await fetch(`${url}/api/v1/notifications/${name}`, {
    method,
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text), text };
}

const listed = async () =>
  ((await (await fetch(`${url}/api/v1/notifications`)).json()) as { items: NotificationStatus[] }).items;

const webhook = () => ({ type: 'webhook', url: `${receiver.url}/very-secret`, secret: 'very-secret' });

describe('a receiver set up in the dashboard', () => {
  it('receives incidents detected from then on, by its rules, until it is deleted', async () => {
    const put = await send('PUT', 'page', { ...webhook(), when: { detector: 'tool-repeat' } });
    expect(put).toMatchObject({ status: 200, body: { name: 'page', origin: 'page', sent: 0 } });
    expect((await listed()).map(({ name, origin }) => [name, origin])).toEqual([
      ['ops', 'configuration'],
      ['page', 'page'],
    ]);
    log.appendVerdict(verdict({ incidentId: 'i-1', detectedAt: Date.now() }));
    await waitFor(() => receiver.received.length === 1);
    await waitFor(async () => (await listed())[1]?.sent === 1);

    expect((await send('DELETE', 'page')).status).toBe(204);
    expect((await send('DELETE', 'page')).status).toBe(404);
    expect(await listed()).toHaveLength(1);
    expect((await send('POST', 'page/test')).status).toBe(404);
  });

  it('hides its secrets, and keeps those that are sent back hidden', async () => {
    const { body, text } = await send('PUT', 'page', webhook());
    expect(text).not.toContain('very-secret');
    const changed = { ...body.entry, when: { action: 'block' } };
    expect((await send('PUT', 'page', changed)).body).toMatchObject({ when: { action: 'block' } });
    expect((await send('POST', 'page/test')).status).toBe(200);
    expect(receiver.received[0]).toMatchObject({ path: '/very-secret' });
    expect(receiver.received[0]?.headers['webhook-signature']).toBeDefined();
  });

  it('sends to a changed address at once, but no hidden secret', async () => {
    const { body } = await send('PUT', 'page', webhook());
    const moved = { ...body.entry, url: `${receiver.url}/elsewhere` };
    expect(await send('PUT', 'page', moved)).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'secret', detail: expect.stringContaining('address has changed') }] },
    });
    expect((await send('PUT', 'page', { ...moved, secret: 'another' })).status).toBe(200);
    await send('POST', 'page/test');
    expect(receiver.received.map(({ path }) => path)).toEqual(['/elsewhere']);
  });

  it.each<[string, object, status: number, path: string | undefined]>([
    ['page', { type: 'fax' }, 400, 'type'],
    ['page', { type: 'slack' }, 400, ''],
    ['page', { type: 'slack', token: 'xoxb' }, 400, 'channel'],
    ['page', { type: 'webhook', url: 'ops', secret: 'abc' }, 400, 'url'],
    [
      'page',
      { type: 'webhook', url: 'http://localhost:9', secret_env: 'LOOPWATCH_API_TOKEN' },
      400,
      'secret_env',
    ],
    ['page', { type: 'pagerduty' }, 400, 'routing_key'],
    ['page', { type: 'pagerduty', routing_key_file: '/etc/passwd' }, 400, 'routing_key_file'],
    ['page', { type: 'pagerduty', routing_key: '******' }, 400, 'routing_key'],
    ['a b', { type: 'pagerduty', routing_key: 'abc' }, 400, 'name'],
    ['ops', { type: 'pagerduty', routing_key: 'abc' }, 409, undefined],
  ])('is rejected as %s %j', async (name, entry, status, path) => {
    const { body, ...answer } = await send('PUT', encodeURIComponent(name), entry);
    expect([answer.status, body.errors?.[0]?.path]).toEqual([status, path]);
    expect(body.errors?.[0]?.detail ?? '').not.toMatch(/_env|_file/);
    expect(await listed()).toHaveLength(1);
  });
});
