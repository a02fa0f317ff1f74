import { notificationSchema } from '@loopwatch/contract';
import { traceDatabase } from '@loopwatch/storage';
import { waitFor } from '@loopwatch/testkit';
import { expect, it } from 'vitest';
import { sharedPglite } from '../../storage/test/shared-pglite.ts';
import { recordTraces, tree } from '../../telemetry/test/recording.ts';
import type { NotificationChannel, ServerDeps } from '../src/index.ts';
import { startReceiver } from './notifications/receiver.ts';
import { startServer, topics } from './running-server.ts';
import { verdict } from './verdicts.ts';

const emptied = sharedPglite();

/** A server whose work is recorded. */
async function start(deps: Partial<ServerDeps> = {}) {
  const { spans } = await recordTraces();
  const database = await emptied();
  const openDatabase = () => Promise.resolve(traceDatabase(database));
  const server = await startServer({ openDatabase, ...deps });
  const stopped = async () => {
    await server.server.stop();
    return spans();
  };
  return { ...server, stopped };
}

it('server traces: a request continues the trace of the caller and has its queries; its name is the route', async () => {
  const { url, stopped } = await start();
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  await fetch(`${url}/api/v1/incidents/i-9?token=secret`, { headers }).then((response) => response.text());
  const spans = await stopped();
  const request = spans.find(({ kind }) => kind === 2);
  expect(request).toMatchObject({
    name: 'GET /api/v1/incidents/:id',
    traceId,
    parentSpanId: 'b7ad6b7169203331',
    attributes: {
      'http.request.method': 'GET',
      'http.route': '/api/v1/incidents/:id',
      'http.response.status_code': 404,
      'url.path': '/api/v1/incidents/i-9',
    },
    status: {},
  });
  const queries = spans.filter(({ parentSpanId }) => parentSpanId === request?.spanId);
  expect(queries.length).toBeGreaterThan(0);
  expect(queries[0]).toMatchObject({ kind: 3, traceId, attributes: { 'db.system.name': 'postgresql' } });
  expect(JSON.stringify(spans)).not.toContain('secret');
});

it('server traces: an error of the server marks the span', async () => {
  const database = await emptied();
  let isBroken = false;
  const failing = {
    ...database,
    query: <Row extends object>(sql: string, parameters?: readonly unknown[]): Promise<Row[]> =>
      isBroken ? Promise.reject(new Error('broken')) : database.query<Row>(sql, parameters),
  };
  const { url, stopped } = await start({ openDatabase: () => Promise.resolve(failing) });
  isBroken = true;
  const { status } = await fetch(`${url}/api/v1/sessions`);
  isBroken = false;
  expect(status).toBe(500);
  const [span] = (await stopped()).filter(({ kind }) => kind === 2);
  expect(span).toMatchObject({ attributes: { 'error.type': '500' }, status: { code: 2 } });
});

it('server traces: health checks and scrapes have no spans', async () => {
  const { url, stopped } = await start();
  for (const path of ['/healthz', '/readyz', '/metrics']) await fetch(url + path).then((it_) => it_.text());
  expect((await stopped()).filter(({ kind }) => kind === 2)).toEqual([]);
});

it('server traces: a batch of verdicts has its transaction, and each delivery of a message is a trace', async () => {
  await using receiver = await startReceiver();
  const entry = { name: 'ops', type: 'webhook', url: `${receiver.url}/secret`, secret: 'abc', when: {} };
  const { log, stopped } = await start({
    notifications: [notificationSchema.parse(entry) as NotificationChannel],
  });
  log.appendVerdict(verdict({ detectedAt: Date.now() }));
  await waitFor(() => receiver.received.length === 1);
  const spans = await stopped();
  expect(tree(spans)).toMatchObject({
    [`store ${topics.verdicts}`]: undefined,
    'transaction pglite': `store ${topics.verdicts}`,
    'notify webhook': undefined,
  });
  expect(spans.find(({ name }) => name === `store ${topics.verdicts}`)).toMatchObject({
    kind: 5,
    attributes: {
      'messaging.system': 'loopwatch_embedded',
      'messaging.destination.name': topics.verdicts,
      'messaging.batch.message_count': 1,
    },
  });
  expect(spans.find(({ name }) => name === 'notify webhook')?.attributes).toEqual({
    'loopwatch.notification.name': 'ops',
    'loopwatch.notification.type': 'webhook',
    'loopwatch.notification.message': 'incident.opened',
    'loopwatch.notification.outcome': 'sent',
  });
  expect(JSON.stringify(spans)).not.toContain('secret');
});

it('server: without tracing, nothing of a request changes', async () => {
  const { url, server } = await startServer({ openDatabase: emptied });
  expect((await fetch(`${url}/api/v1/incidents`, { headers: { traceparent: 'nonsense' } })).status).toBe(200);
  await server.stop();
});
