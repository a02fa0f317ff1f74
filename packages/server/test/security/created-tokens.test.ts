import { createHash } from 'node:crypto';
import type { ApiToken, AuditPage, CreatedApiToken, Me } from '@loopwatch/contract/api';
import type { Database } from '@loopwatch/storage';
import { waitFor } from '@loopwatch/testkit';
import { io, type Socket } from 'socket.io-client';
import { expect, it, onTestFinished } from 'vitest';
import { onBothDatabases } from '../../../storage/test/databases.ts';
import { startServer } from '../running-server.ts';
import { START } from '../verdicts.ts';

const MINUTE = 60_000;
const configured = { operator: 'o'.repeat(32), viewer: 'v'.repeat(32), producer: 'p'.repeat(32) };
const clock = { now: START };

/** A server on a database that other servers use as well, until the test ends. */
async function serverOn(database: Database, tokens: typeof configured | null = configured) {
  const openDatabase = () => Promise.resolve({ ...database, close: () => Promise.resolve() });
  const { url, server } = await startServer({
    openDatabase,
    now: () => clock.now,
    ...(tokens !== null && { tokens }),
  });
  onTestFinished(() => server.stop());
  const call = (method: string, path: string, token?: string, body?: unknown, more = {}) =>
    fetch(`${url}/api/v1${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        'content-type': 'application/json',
        ...more,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const create = async (body: object): Promise<CreatedApiToken> => {
    const answer = await call('POST', '/tokens', configured.operator, body);
    expect(answer.status).toBe(201);
    return (await answer.json()) as CreatedApiToken;
  };
  const list = async (): Promise<ApiToken[]> =>
    ((await (await call('GET', '/tokens', configured.viewer)).json()) as { items: ApiToken[] }).items;
  const revoke = async (id: string) => (await call('DELETE', `/tokens/${id}`, configured.operator)).status;
  const statusOf = async (token: string) => (await call('GET', '/status', token)).status;
  return { url, call, create, list, revoke, statusOf };
}

type Server = Awaited<ReturnType<typeof serverOn>>;

function socketOf({ url }: Server, headers: Record<string, string>): Promise<Socket> {
  const socket = io(`${url}/live`, {
    extraHeaders: headers,
    reconnection: false,
    forceNew: true,
    transports: ['websocket'],
  });
  onTestFinished(() => void socket.disconnect());
  return new Promise((resolve, reject) => {
    socket.on('snapshot', () => resolve(socket));
    socket.on('connect_error', reject);
  });
}

onBothDatabases(({ make, kind }) => {
  it(`created tokens (${kind}): are shown once, stored as a hash, and listed with name, role and expiry`, async () => {
    const { database } = await make();
    const server = await serverOn(database);
    const expiresAt = START + 90 * 86_400_000;
    const { token, ...listed } = await server.create({
      name: ' billing agent ',
      role: 'producer',
      expiresAt,
    });
    expect(token).toMatch(/^lw_[0-9a-f]{64}$/);
    expect(listed).toEqual({
      id: expect.any(String),
      name: 'billing agent',
      role: 'producer',
      createdAt: START,
      createdBy: 'operator',
      expiresAt,
      lastUsedAt: null,
    });
    expect(await server.list()).toEqual([listed]);
    const rows = await database.query<{ hash: string }>('select * from api_tokens');
    expect(JSON.stringify(rows)).not.toContain(token.slice(3));
    expect(rows[0]?.hash).toBe(createHash('sha256').update(token).digest('hex'));
    const other = await server.create({ name: 'another', role: 'viewer' });
    expect(other.token).not.toBe(token);
    expect(other.expiresAt).toBeNull();
  });

  it(`created tokens (${kind}): a revoked one is refused at once and its connections end, on all servers`, async () => {
    const { database } = await make();
    const [one, other] = [await serverOn(database), await serverOn(database)];
    const { id, token } = await one.create({ name: 'laptop', role: 'viewer' });
    await waitFor(async () => (await other.statusOf(token)) === 200);
    const login = await other.call('POST', '/auth/login', undefined, { token });
    const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const withCookie = async () =>
      (await other.call('GET', '/status', undefined, undefined, { cookie })).status;
    expect(await withCookie()).toBe(200);
    const bearer = { authorization: `Bearer ${token}` };
    const sockets = await Promise.all([
      socketOf(one, bearer),
      socketOf(other, bearer),
      socketOf(other, { cookie }),
    ]);
    const streams = await Promise.all(
      [one, other].map((server) => server.call('GET', '/sessions/s-1/verdicts/stream', token)),
    );
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);

    expect(await one.revoke(id)).toBe(204);
    expect(await one.statusOf(token)).toBe(401);
    await Promise.all(streams.map((stream) => stream.text()));
    await waitFor(() => sockets.every(({ connected }) => !connected));
    expect([await other.statusOf(token), await withCookie()]).toEqual([401, 401]);
    expect(await one.revoke(id)).toBe(404);
    expect(await other.list()).toEqual([]);
  });

  it(`created tokens (${kind}): an expired one is refused, its logins and connections end`, async () => {
    const { database } = await make();
    clock.now = START;
    const server = await serverOn(database);
    const { token } = await server.create({ name: 'trial', role: 'operator', expiresAt: START + MINUTE });
    const login = await server.call('POST', '/auth/login', undefined, { token });
    const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const socket = await socketOf(server, { authorization: `Bearer ${token}` });
    clock.now = START + MINUTE - 1;
    expect(await server.statusOf(token)).toBe(200);
    clock.now = START + MINUTE;
    expect(await server.statusOf(token)).toBe(401);
    expect((await server.call('GET', '/status', undefined, undefined, { cookie })).status).toBe(401);
    await waitFor(() => !socket.connected);
    expect((await server.list()).map(({ name }) => name)).toEqual(['trial']);
  });

  it(`created tokens (${kind}): the last use is stored at most once a minute`, async () => {
    const { database } = await make();
    clock.now = START;
    const noted: unknown[] = [];
    const counting: Database = {
      ...database,
      query: (sql, parameters) => {
        if (sql.startsWith('update api_tokens')) noted.push(parameters?.[1]);
        return database.query(sql, parameters);
      },
    };
    const server = await serverOn(counting);
    const { id, token } = await server.create({ name: 'ci', role: 'producer' });
    const lastUse = async () => (await server.list()).find((one) => one.id === id)?.lastUsedAt;
    expect(await lastUse()).toBeNull();
    const event = { sessionId: 's-1', type: 'session_ended' };
    for (const [offset, expected] of [
      [0, START],
      [1_000, START],
      [MINUTE - 1, START],
      [MINUTE, START + MINUTE],
      [MINUTE + 1, START + MINUTE],
    ] as const) {
      clock.now = START + offset;
      for (let n = 0; n < 3; n += 1)
        expect((await server.call('POST', '/events', token, event)).status).toBe(202);
      await expect.poll(lastUse).toBe(expected);
    }
    expect(noted).toEqual([START, START + MINUTE]);
  });

  it(`created tokens (${kind}): creation and revocation are in the audit log, without the token`, async () => {
    const { database } = await make();
    clock.now = START;
    const server = await serverOn(database);
    const { id, token } = await server.create({ name: 'deploys', role: 'operator' });
    const made = await server.call('POST', '/tokens', token, { name: 'second', role: 'viewer' });
    expect(await made.json()).toMatchObject({ createdBy: 'deploys' });
    clock.now += 1;
    await server.revoke(id);
    const answer = await server.call('GET', '/audit', configured.viewer);
    const { items } = (await answer.json()) as AuditPage;
    expect(items.map(({ action, subject, actor }) => [action, subject, actor])).toEqual(
      expect.arrayContaining([
        ['token.revoked', 'token:deploys', 'operator'],
        ['token.created', 'token:second', 'deploys'],
        ['token.created', 'token:deploys', 'operator'],
      ]),
    );
    expect(items[0]?.action).toBe('token.revoked');
    expect(JSON.stringify(items)).not.toContain(token.slice(3));
  });

  it.each([
    ['without a name', { role: 'viewer' }, 400, 'name'],
    ['with an empty name', { name: ' ', role: 'viewer' }, 400, 'name'],
    ['with a line break in its name', { name: 'a\nb', role: 'viewer' }, 400, 'name: must not'],
    ['with a control character in its name', { name: 'a\u001b[31m', role: 'viewer' }, 400, 'name: must not'],
    ['with a role that does not exist', { name: 'a', role: 'admin' }, 400, 'role'],
    ['that has expired', { name: 'a', role: 'viewer', expiresAt: START - 1 }, 400, 'expiresAt'],
    ['with a value of its own', { name: 'a', role: 'viewer', token: 'lw_1' }, 400, 'token'],
    ['with the name of another', { name: 'taken', role: 'viewer' }, 409, 'There is a token named taken'],
  ])(`created tokens (${kind}): none is created %s`, async (_case, body, status, named) => {
    const { database } = await make();
    clock.now = START;
    const server = await serverOn(database);
    await server.create({ name: 'taken', role: 'producer' });
    const answer = await server.call('POST', '/tokens', configured.operator, body);
    expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining(named)]);
    expect(await server.list()).toHaveLength(1);
  });
});

onBothDatabases(({ make, kind }) => {
  it(`created tokens (${kind}): where no login is needed, none is created, because it would protect nothing`, async () => {
    const { database } = await make();
    const { call } = await serverOn(database, null);
    const answer = await call('POST', '/tokens', undefined, { name: 'a', role: 'viewer' });
    expect([answer.status, await answer.text()]).toEqual([
      409,
      expect.stringContaining('set LOOPWATCH_API_TOKEN or server.oidc first'),
    ]);
  });

  it(`created tokens (${kind}): changes are recorded under the token's name, whatever name a client sends`, async () => {
    const { database } = await make();
    const { call, create } = await serverOn(database);
    const { token } = await create({ name: 'deploys', role: 'operator' });
    const answer = await call('GET', '/auth/me', token, undefined, { 'loopwatch-user': 'ann' });
    expect((await answer.json()) as Me).toMatchObject({
      user: { name: 'deploys', role: 'operator' },
      shared: false,
    });
  });
});
