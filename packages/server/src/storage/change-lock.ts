import type { Queryable } from '@loopwatch/storage';

const lockNumber = 460_002;
export const changesChannel = 'loopwatch_changes';

/**
 * Taken first by every transaction that numbers changes, until its end: so changes become visible in the order of their
 * numbers, and whoever asks for those behind a number misses none. It also tells all servers that there is something new.
 */
export async function lockChanges(tx: Queryable): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock($1), pg_notify('${changesChannel}', '')`, [lockNumber]);
}
