import type { Queryable } from './database.ts';

/** Removes the oldest messages of conversations. @returns how many */
export async function removeMessages(
  database: Queryable,
  { limit, before = Number.MAX_SAFE_INTEGER }: { limit: number; before?: number },
): Promise<number> {
  // They are numbered as they come, so the first is the oldest.
  const removed = await database.query(
    `delete from messages where number in
       (select number from (select number, at from messages order by number limit ${String(limit)}) as oldest
        where at < $1::float8)
     returning 1`,
    [before],
  );
  return removed.length;
}
