import { startPostgres, type TestPostgres } from '@loopwatch/testkit';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
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
