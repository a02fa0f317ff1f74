import { rm } from 'node:fs/promises';
import type { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { DatabaseUnavailable, type Queryable } from '../src/database.ts';
import { jsonText } from '../src/json-text.ts';
import { migrate } from '../src/migrate.ts';
import { migrations } from '../src/migrations.ts';
import { openPglite } from '../src/pglite-database.ts';
import { openPostgres } from '../src/postgres-database.ts';
import { onBothDatabases } from './databases.ts';
import { pgliteFolder } from './pglite-folder.ts';

onBothDatabases(({ make }) => {
  it('returns plain values: numbers, texts, parsed JSON', async () => {
    const { database } = await make({ migrated: false });
    const [row] = await database.query(
      `select 9007199254740991::bigint as big, count(*) as count, 1.5::float8 as float, 'ä'::text as text,
         $1::jsonb as json, null::text as nothing, $2 = 'x' as same from (values (1), (2)) as v`,
      ['{"a":[1,null]}', 'x'],
    );
    expect(row).toEqual({
      big: 9_007_199_254_740_991,
      count: 2,
      float: 1.5,
      text: 'ä',
      json: { a: [1, null] },
      nothing: null,
      same: true,
    });
  });

  it('stores texts with characters that PostgreSQL does not support', async () => {
    const { database } = await make({ migrated: false });
    const text = 'a\u0000b \ud800 c \udfff \\u0000 \\\\u0000 😀';
    const [row] = await database.query<{ json: unknown }>('select $1::jsonb as json', [
      jsonText({ [text]: text }),
    ]);
    const stored = 'a\ufffdb \ufffd c \ufffd \\u0000 \\\\u0000 😀';
    expect(row?.json).toEqual({ [stored]: stored });
  });

  it('finds rows by a name with characters that PostgreSQL does not support', async () => {
    const { database } = await make({ migrated: false });
    const ask = `select 'a\ufffdb' = $1 as one, 'a\ufffdb' = any($2::text[]) as listed`;
    const names = ['a\u0000b', ['x', 'a\ud800b']];
    expect(await database.query(ask, names)).toEqual([{ one: true, listed: true }]);
    expect(await database.transaction((tx) => tx.query(ask, names))).toEqual([{ one: true, listed: true }]);
  });

  it('limits the time of statements, except in transactions without a limit', async () => {
    const { database } = await make({ migrated: false });
    const limit = (isUnlimited: boolean) =>
      database.transaction((tx) => tx.query('show statement_timeout'), { isUnlimited });
    const limited = { statement_timeout: database.kind === 'postgres' ? '1min' : '0' };
    expect(await limit(true)).toEqual([{ statement_timeout: '0' }]);
    expect(await limit(false)).toEqual([limited]);
    expect(await database.query('show statement_timeout')).toEqual([limited]);
    const locks = await database.query<{ lock_timeout: string }>('show lock_timeout');
    expect(locks).toEqual([{ lock_timeout: database.kind === 'postgres' ? '10s' : '0' }]);
    const ofMigration = await database.transaction((tx) => tx.query('show lock_timeout'), {
      isUnlimited: true,
    });
    expect(ofMigration).toEqual([{ lock_timeout: '0' }]);
    const compiling = await database.query<{ jit: string }>(`select current_setting('jit', true) as jit`);
    expect(compiling.map(({ jit }) => database.kind === 'pglite' || jit)).not.toContain('on');
    expect(await database.query('show work_mem')).toEqual([{ work_mem: '32MB' }]);
  });

  it('is unavailable while others hold a lock for too long, and then available', async () => {
    const { database } = await make({ migrated: false });
    await database.query('create table t (n integer)');
    // The embedded database has one connection, which holds all locks.
    const wait = (holder: Queryable): Promise<unknown> =>
      database.kind === 'pglite'
        ? holder.query(`do $$ begin raise exception 'no lock' using errcode = '55P03'; end $$`)
        : database.transaction(async (tx) => {
            await tx.query(`set local lock_timeout = '50ms'`);
            await tx.query('select n from t');
          });
    const waited = database.transaction(async (holder) => {
      await holder.query('lock table t');
      await wait(holder);
    });
    await expect(waited).rejects.toThrow(DatabaseUnavailable);
    expect(await database.query('select n from t')).toEqual([]);
  });

  it('commits a transaction as a whole or not at all', async () => {
    const { database } = await make({ migrated: false });
    await database.query('create table t (n integer)');
    const failed = database.transaction(async (tx) => {
      await tx.query('insert into t values (1)');
      throw new Error('changed my mind');
    });
    await expect(failed).rejects.toThrow('changed my mind');
    expect(await database.transaction((tx) => tx.query('insert into t values (2) returning n'))).toEqual([
      { n: 2 },
    ]);
    expect(await database.query('select n from t')).toEqual([{ n: 2 }]);
  });

  it('notifies listeners once the transaction is committed', async () => {
    const { database } = await make({ migrated: false });
    const notices: string[] = [];
    let notified: () => void = () => undefined;
    const heard = new Promise<void>((resolve) => {
      notified = resolve;
    });
    const stop = await database.listen('news', (payload) => {
      notices.push(payload);
      notified();
    });
    await expect(
      database.transaction(async (tx) => {
        await tx.query(`select pg_notify('news', 'never')`);
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    await database.query(`select pg_notify('news', 'yes')`);
    await heard;
    expect(notices).toEqual(['yes']);
    await stop();
  });

  it('is migrated once, even by several processes at the same time', async () => {
    const { database } = await make({ migrated: false });
    const [first, second] = await Promise.all([migrate(database), migrate(database)]);
    expect([...first, ...second]).toEqual(migrations.map(({ number }) => number));
    expect(await migrate(database)).toEqual([]);
  });

  it('rejects a database of a newer version, and a changed migration', async () => {
    const { database } = await make({ migrated: false });
    const step = (number: number, table: string) => ({
      number,
      name: table,
      sql: `create table ${table} (n integer)`,
    });
    await migrate(database, [step(1, 'a'), step(2, 'b')]);
    await expect(migrate(database, [step(1, 'a')])).rejects.toThrow(/migration 2 \(b\), which this version/);
    await expect(migrate(database, [step(1, 'z'), step(2, 'b')])).rejects.toThrow(
      /Migration 1 \(a\) differs from the one/,
    );
    const failing = { number: 3, name: 'broken', sql: 'create table c (n integer); create nonsense' };
    await expect(migrate(database, [step(1, 'a'), step(2, 'b'), failing])).rejects.toThrow();
    expect(await migrate(database, [step(1, 'a'), step(2, 'b'), step(3, 'c')])).toEqual([3]);
  });
});

it('openPglite: rejects a second opener and suggests DATABASE_URL', async () => {
  const dir = await pgliteFolder();
  onTestFinished(() => rm(dir, { recursive: true }));
  const first = await openPglite(dir, () => undefined);
  await expect(openPglite(dir, () => undefined)).rejects.toThrow(/embedded database in .* DATABASE_URL/);
  await first.query('create table t (n integer)');
  await first.close();
  const second = await openPglite(dir, () => undefined);
  expect(await second.query('select n from t')).toEqual([]);
  await second.close();
});

it('openPglite: when its thread dies, pending and later queries reject with DatabaseUnavailable', async () => {
  const dir = await pgliteFolder();
  onTestFinished(() => rm(dir, { recursive: true }));
  let thread: Worker | undefined;
  process.once('worker', (started: Worker) => {
    thread = started;
  });
  const lost: Error[] = [];
  const database = await openPglite(dir, (error) => lost.push(error));
  const answer = database.query('select count(*) from generate_series(1, 100000000)');
  await thread?.terminate();
  await expect(answer).rejects.toThrow(DatabaseUnavailable);
  expect(lost).toHaveLength(1);
  await expect(database.query('select 1')).rejects.toThrow(/embedded database stopped/);
  await expect(database.close()).rejects.toThrow(DatabaseUnavailable);
  const again = await openPglite(dir, () => undefined);
  expect(await again.query('select 1 as one')).toEqual([{ one: 1 }]);
  await again.close();
});

it('openPglite: does not block the event loop while it computes', async () => {
  const dir = await pgliteFolder();
  onTestFinished(() => rm(dir, { recursive: true }));
  const database = await openPglite(dir, () => undefined);
  let turns = 0;
  const turning = setInterval(() => {
    turns += 1;
  }, 1);
  await database.query('select count(*) from generate_series(1, 300000)');
  clearInterval(turning);
  expect(turns).toBeGreaterThan(5);
  await database.close();
});

it('openPostgres: an unreachable server is named without its password', async () => {
  const database = openPostgres({ url: 'postgres://loop:hunter2@127.0.0.1:1/x', onTrouble: () => undefined });
  onTestFinished(() => database.close());
  const failure = database.query('select 1');
  await expect(failure).rejects.toThrow(/database at 127\.0\.0\.1:1\/x cannot be used/);
  await expect(failure).rejects.not.toThrow(/hunter2/);
});
