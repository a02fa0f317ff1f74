import { startPostgres, type TestPostgres } from '@loopwatch/testkit';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from '../src/open-database.ts';
import { probePostgres } from '../src/probe-postgres.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

async function run(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<object>(sql)).rows;
  } finally {
    await client.end();
  }
}

it('probePostgres: returns the version without changing anything', async () => {
  const url = await postgres.createDatabase();
  expect(await probePostgres(url)).toMatch(/^\d+/);
  expect(await run(url, "select relname from pg_class where relnamespace = 'public'::regnamespace")).toEqual(
    [],
  );
});

it('probePostgres: names the grant that a user needs to create tables', async () => {
  const url = await postgres.createDatabase();
  const guest = new URL(url).pathname.slice(1);
  await run(url, `create role ${guest} login password 'guest'`);
  await run(url, 'revoke create on schema public from public');
  const asGuest = Object.assign(new URL(url), { username: guest, password: 'guest' }).href;
  await expect(probePostgres(asGuest)).rejects.toThrow(`grant create on schema public to "${guest}"`);
  await run(url, `drop role ${guest}`);
});

it('openDatabase: names a server that is read-only, as a standby is, and the remedy', async () => {
  const url = await postgres.createDatabase();
  const name = new URL(url).pathname.slice(1);
  await run(url, `alter database ${name} set default_transaction_read_only = on`);
  const opening = openDatabase({ database_url: url, data_dir: '' }, pino({ level: 'silent' }));
  await expect(opening).rejects.toMatchObject({
    name: 'DatabaseUnavailable',
    message: expect.stringMatching(
      /cannot be used: cannot execute .* in a read-only transaction\. Start it, or correct/,
    ),
  });
  await expect(probePostgres(url)).rejects.toThrow('PostgreSQL is read-only, as a standby is');
});

it.each([
  ['a stopped server', { port: '1' }, /ECONNREFUSED/],
  ['a role that does not exist', { username: 'nobody' }, /(role|user) "nobody"/],
  ['a wrong password', { password: 'hunter2' }, /password authentication failed/],
  ['a database that does not exist', { pathname: '/nowhere' }, /database "nowhere" does not exist/],
])('openDatabase: names the address, the reason and the remedy for %s', async (_, change, reason) => {
  const url = Object.assign(new URL(await postgres.createDatabase()), change);
  const opening = openDatabase({ database_url: url.href, data_dir: '' }, pino({ level: 'silent' }));
  const failure: unknown = await opening.catch((error: unknown) => error);
  expect(failure).toMatchObject({ name: 'DatabaseUnavailable', message: expect.stringMatching(reason) });
  const text = String(failure);
  expect(text).toContain(`The database at ${url.host}${url.pathname} cannot be used: `);
  expect(text).toMatch(/Start it, or correct DATABASE_URL .*`loopwatch doctor`/);
  expect(text).not.toMatch(/hunter|secret/);
});
