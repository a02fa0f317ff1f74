import type { Database } from './database.ts';

/**
 * Leaves no byte of deleted rows in the files of the embedded database: it rewrites the tables, their statistics and the
 * write-ahead log. Other queries wait meanwhile. PostgreSQL itself does so later, by its own settings.
 */
export async function scrubDatabase(database: Database, tables: readonly string[]): Promise<void> {
  if (database.kind !== 'pglite') return;
  // Recycled files of the write-ahead log would keep their old content.
  await database.query('set wal_recycle = off');
  try {
    for (const table of tables) await database.query(`vacuum full analyze ${table}`);
    // It holds samples of the texts that were there before.
    await database.query('vacuum full pg_statistic');
    await database.query('checkpoint');
    const [row] = await database.query<{ files: number }>(
      'select count(*)::float8 as files from pg_ls_waldir()',
    );
    // Moves past files that were recycled before, which a checkpoint then removes.
    for (let file = 0; file < (row?.files ?? 0); file += 1) {
      await database.query('checkpoint');
      await database.query('select pg_switch_wal()');
    }
    await database.query('checkpoint');
  } finally {
    await database.query('reset wal_recycle');
  }
}
