import type { Queryable } from './database.ts';

/**
 * Removes the oldest messages of conversations.
 *
 * @returns how many were removed
 */
export async function removeMessages(
  database: Queryable,
  { limit, before = Number.MAX_SAFE_INTEGER }: { limit: number; before?: number },
): Promise<number> {
  // Numbers are ascending, so the lowest belongs to the oldest message.
  const removed = await database.query(
    `delete from messages where number in
       (select number from (select number, at from messages order by number limit ${String(limit)}) as oldest
        where at < $1::float8)
     returning 1`,
    [before],
  );
  return removed.length;
}
