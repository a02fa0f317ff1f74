import type { Database } from '../src/index.ts';

/** Of tables as migrations leave them: some insert rows. */
const KEPT = 'as_migrated';

/**
 * Migrating takes a quarter of a second of CPU time, emptying a tenth of that.
 *
 * @param database just migrated
 * @returns a function that restores this state in the same database, however it was opened
 */
export async function emptying(database: Database): Promise<(database: Database) => Promise<void>> {
  const named = await database.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'migrations'",
  );
  const sequences = await database.query<{ name: string }>(
    "select sequencename as name from pg_sequences where schemaname = 'public'",
  );
  const tables = named.map(({ name }) => name);
  const seeded: string[] = [];
  await database.query(`drop schema if exists ${KEPT} cascade`);
  await database.query(`create schema ${KEPT}`);
  for (const table of tables) {
    const rows = await database.query(`select 1 from ${table} limit 1`);
    if (rows.length === 0) continue;
    await database.query(`create table ${KEPT}.${table} as table ${table}`);
    seeded.push(table);
  }
  return async (database) => {
    // With few rows, `delete` takes a tenth of the time of `truncate`.
    for (const table of tables) await database.query(`delete from ${table}`);
    for (const { name } of sequences) await database.query(`alter sequence ${name} restart`);
    for (const table of seeded) await database.query(`insert into ${table} table ${KEPT}.${table}`);
  };
}
