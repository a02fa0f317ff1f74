import { rm } from 'node:fs/promises';
import { waitFor } from '@loopwatch/testkit';
import { expect, it } from 'vitest';
import { openPglite } from '../src/pglite-database.ts';
import { pgliteFolder } from './pglite-folder.ts';

const MIB = 1024 * 1024;

it('embedded database: what it reads again after a crash stays small while it is written to', async () => {
  const folder = await pgliteFolder();
  const database = await openPglite(folder, () => undefined);
  try {
    /** Bytes of the write-ahead log since the database was created, and since its latest checkpoint. */
    const walBytes = async (): Promise<{ all: number; unsaved: number }> => {
      const [row] = await database.query<{ all: number; unsaved: number }>(
        `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as all,
           pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn)::float8 as unsaved from pg_control_checkpoint()`,
      );
      return row ?? { all: 0, unsaved: Infinity };
    };
    const fill = (rows: number): Promise<unknown> =>
      database.transaction((tx) =>
        tx.query(`insert into filled select n, repeat('x', 1000) from generate_series(1, $1) n`, [rows]),
      );
    await database.query('create table filled (n integer, text text)');
    const before = await walBytes();
    await fill(80_000);
    await waitFor(async () => {
      await fill(1);
      return (await walBytes()).unsaved < MIB;
    });
    expect((await walBytes()).all - before.all).toBeGreaterThan(64 * MIB);
    expect(await database.query('select count(*) >= 80000 as kept from filled')).toEqual([{ kept: true }]);
  } finally {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  }
});
