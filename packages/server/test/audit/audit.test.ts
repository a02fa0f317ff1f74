import {
  type ApiToken,
  type AuditEntry,
  type AuditPage,
  auditActions,
  userHeader,
} from '@loopwatch/contract/api';
import { expect, it } from 'vitest';
import { sharedPglite } from '../../../storage/test/shared-pglite.ts';
import { startServer, topics } from '../running-server.ts';
import { START, summary } from '../verdicts.ts';

const emptyDatabase = sharedPglite();
const headers = { 'content-type': 'application/json', authorization: 'Bearer the-operators-token' };

it('the audit log: has what was changed, by whom and when, and nothing that was refused', async () => {
  let now = START;
  const samples = { play: () => Promise.resolve(), pause: () => Promise.resolve() };
  const { url, log, server, stored } = await startServer({
    openDatabase: emptyDatabase,
    samples,
    tokens: { operator: 'the-operators-token' },
    now: () => now,
  });
  log.append(topics.sessions, JSON.stringify(summary('s-1')), { key: 's-1' });
  await stored();
  const call = async (method: string, path: string, body?: object, user = 'ann'): Promise<number> => {
    now += 1_000;
    const init = { method, headers: { ...headers, [userHeader]: user }, body: JSON.stringify(body) };
    return (await fetch(`${url}/api/v1${path}`, init)).status;
  };
  const audit = async (query = ''): Promise<AuditPage> =>
    (await (await fetch(`${url}/api/v1/audit${query}`, { headers })).json()) as AuditPage;

  expect(await call('PUT', '/settings/server', { set: { 'tool_cycle.min_repeats': 5 } })).toBe(200);
  expect(await call('PUT', '/settings/server', { set: { 'tool_cycle.min_repeats': 'often' } })).toBe(400);
  expect(await call('DELETE', '/settings/server', undefined, 'ben')).toBeLessThan(300);
  expect(await call('POST', '/sessions/s-1/stop')).toBe(200);
  expect(await call('POST', '/sessions/s-1/stop')).toBe(200);
  expect(await call('DELETE', '/sessions/s-1/stop')).toBe(200);
  const webhook = { type: 'webhook', url: 'https://example.com/swordfish', secret: 'whsec_c3dvcmRmaXNo' };
  expect(await call('PUT', '/notifications/team', webhook)).toBe(200);
  expect(await call('DELETE', '/notifications/team')).toBe(204);
  expect(await call('DELETE', '/notifications/team')).toBe(404);
  expect(await call('DELETE', '/samples')).toBe(200);
  expect(await call('DELETE', '/sessions/s-1')).toBe(200);
  expect(await call('POST', '/tokens', { name: 'ci', role: 'producer' })).toBe(201);
  expect(await call('POST', '/tokens', { name: 'ci', role: 'producer' })).toBe(409);
  const [token] = ((await (await fetch(`${url}/api/v1/tokens`, { headers })).json()) as { items: ApiToken[] })
    .items;
  expect(await call('DELETE', `/tokens/${token?.id ?? ''}`, undefined, 'ben')).toBe(204);

  const { items, total } = await audit();
  const expected: [AuditEntry['action'], string, string, number][] = [
    ['token.revoked', 'token:ci', 'ben', 14],
    ['token.created', 'token:ci', 'ann', 12],
    ['session.erased', 'session:s-1', 'ann', 11],
    ['samples.removed', 'samples', 'ann', 10],
    ['notification.deleted', 'team', 'ann', 8],
    ['notification.changed', 'team', 'ann', 7],
    ['session.resumed', 'session:s-1', 'ann', 6],
    ['session.stopped', 'session:s-1', 'ann', 4],
    ['settings.changed', 'server', 'ben', 3],
    ['settings.changed', 'server', 'ann', 1],
  ];
  expect(
    items.map(({ action, subject, actor, at }) => [action, subject, actor, (at - START) / 1_000]),
  ).toEqual(expected);
  expect(total).toBe(expected.length);
  expect(new Set(items.map(({ action }) => action))).toEqual(new Set(auditActions));
  expect(JSON.stringify(items)).not.toContain('swordfish');
  expect(items.at(-1)).toMatchObject({ detail: { set: { 'tool_cycle.min_repeats': 5 } } });

  const ofBen = await audit('?actor=ben&action=settings.changed');
  expect(ofBen.items.map(({ actor }) => actor)).toEqual(['ben']);
  const first = await audit('?limit=3');
  const second = await audit(`?limit=3&cursor=${encodeURIComponent(first.nextCursor ?? '')}`);
  expect([...first.items, ...second.items]).toEqual(items.slice(0, 6));
  await server.stop();
});
