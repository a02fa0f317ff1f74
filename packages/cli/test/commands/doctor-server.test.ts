import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { settingsSchema } from '@loopwatch/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkServerNeeds } from '../../src/commands/doctor-server.ts';

const login = { client_id: 'loopwatch', client_secret: 'shh', default_role: 'viewer' };

const check = (settings: object) => checkServerNeeds(settingsSchema.parse(settings));

it('doctor: checks nothing that is not configured', async () => {
  expect(await check({})).toEqual([]);
});

it('doctor: names an unavailable PostgreSQL without its password', async () => {
  const [found] = await check({ storage: { database_url: 'postgres://loop:hunter2@127.0.0.1:1/x' } });
  expect(found).toMatchObject({
    ok: false,
    advice: expect.stringMatching(/127\.0\.0\.1:1\/x.*Check DATABASE_URL/) as string,
  });
  expect(found?.advice).not.toContain('hunter2');
});

describe('an OpenID Connect provider', () => {
  let server: Server;
  let issuer = '';
  let answer: { status: number; body: unknown } = { status: 200, body: {} };
  beforeAll(async () => {
    server = createServer((_request, response) => {
      response
        .writeHead(answer.status, { 'content-type': 'application/json' })
        .end(JSON.stringify(answer.body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    issuer = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  });
  afterAll(() => server.close());
  const asked = async (at = issuer) => (await check({ server: { oidc: { ...login, issuer: at } } }))[0];

  it('doctor: accepts an OpenID Connect provider whose issuer matches', async () => {
    answer = { status: 200, body: { issuer } };
    expect(await asked()).toEqual({ ok: true, what: `OpenID Connect provider ${issuer} answers` });
  });

  it('doctor: reports an OpenID Connect provider with another issuer, an error response or no response', async () => {
    answer = { status: 200, body: { issuer: `${issuer}/` } };
    expect((await asked())?.advice).toMatch(/Its issuer is .*must match exactly/);
    answer = { status: 404, body: {} };
    expect((await asked())?.advice).toMatch(/answers with 404/);
    expect((await asked('http://127.0.0.1:1'))?.advice).toMatch(/cannot be read.*Check server\.oidc\.issuer/);
  });
});
