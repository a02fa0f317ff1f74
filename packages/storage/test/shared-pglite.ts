import { beforeAll } from 'vitest';
import type { Database } from '../src/index.ts';
import { migrate } from '../src/migrate.ts';
import { openPglite } from '../src/pglite-database.ts';
import { pgliteFolder } from './pglite-folder.ts';

interface Shared {
  readonly database: Database;
  readonly empty: () => Promise<void>;
}

/** Opening and migrating a database takes longer than most files that need one, so it is left open for the next. */
let shared: Promise<Shared> | undefined;

/** The embedded database that this process' tests share. @returns a function that empties and returns it */
export function sharedPglite(): () => Promise<Database> {
  let opened: Shared | undefined;
  beforeAll(async () => {
    opened = await (shared ??= open());
  }, 120_000);
  return async () => {
    if (opened === undefined) throw new Error('The database is only available while tests run');
    await opened.empty();
    return { ...opened.database, close: () => Promise.resolve() };
  };
}

async function open(): Promise<Shared> {
  const database = await openPglite(await pgliteFolder(), () => undefined);
  await migrate(database);
  return { database, empty: await emptying(database) };
}

/** @returns a function that restores the state after the migrations */
async function emptying(database: Database): Promise<() => Promise<void>> {
  const named = await database.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'migrations'",
  );
  const sequences = await database.query<{ name: string }>(
    "select sequencename as name from pg_sequences where schemaname = 'public'",
  );
  const tables = named.map(({ name }) => name);
  // Migrations insert rows into a few tables.
  for (const table of tables) await database.query(`create temp table first_${table} as table ${table}`);
  const seeded: string[] = [];
  for (const table of tables) {
    const rows = await database.query(`select 1 from first_${table} limit 1`);
    if (rows.length > 0) seeded.push(table);
  }
  return async () => {
    // With few rows, `delete` takes a tenth of the time of `truncate`.
    for (const table of tables) await database.query(`delete from ${table}`);
    for (const { name } of sequences) await database.query(`alter sequence ${name} restart`);
    for (const table of seeded) await database.query(`insert into ${table} table first_${table}`);
  };
}
