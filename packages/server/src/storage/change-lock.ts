import type { Queryable } from '@loopwatch/storage';

const LOCK_NUMBER = 460_002;
export const changesChannel = 'loopwatch_changes';

/**
 * The first statement of every transaction that numbers changes. The lock is held until the transaction ends, so that changes
 * become visible in the order of their numbers, and a reader of all changes after a number misses none. Notifies all servers.
 */
export async function lockChanges(tx: Queryable): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock($1), pg_notify('${changesChannel}', '')`, [LOCK_NUMBER]);
}

/** Number of the latest change; 0 before the first. */
export async function latestChange(database: Queryable): Promise<number> {
  const [row] = await database.query<{ change: number | null }>(
    `select greatest((select max(change) from incidents), (select max(change) from sessions),
       (select max(change) from settings), (select max(change) from mutes)) as change`,
  );
  return row?.change ?? 0;
}
