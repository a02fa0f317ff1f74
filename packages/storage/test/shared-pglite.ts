import { rm } from 'node:fs/promises';
import { afterAll, beforeAll } from 'vitest';
import type { Database } from '../src/index.ts';
import { migrate } from '../src/migrate.ts';
import { openPglite } from '../src/pglite-database.ts';
import { pgliteFolder } from './pglite-folder.ts';

/** One embedded database for a file's tests. @returns empties it; closing it is left to the end of the file */
export function sharedPglite(): () => Promise<Database> {
  let dir = '';
  let database: Database | undefined;
  beforeAll(async () => {
    dir = await pgliteFolder();
    database = await openPglite(dir, () => undefined);
  }, 120_000);
  afterAll(async () => {
    await database?.close();
    await rm(dir, { recursive: true, force: true });
  });
  return async () => {
    if (database === undefined) throw new Error('The database is there once tests run');
    await database.query('drop schema public cascade');
    await database.query('create schema public');
    await migrate(database);
    return { ...database, close: () => Promise.resolve() };
  };
}
