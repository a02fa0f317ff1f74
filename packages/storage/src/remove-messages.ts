import type { Queryable } from './database.ts';

/** Removes the oldest messages of conversations. @returns how many */
export async function removeMessages(
  database: Queryable,
  { limit, before = Number.MAX_SAFE_INTEGER }: { limit: number; before?: number },
): Promise<number> {
  const removed = await database.query(
    `delete from messages where number in (select number from messages where at < $1::float8
       order by number limit ${String(limit)}) returning 1`,
    [before],
  );
  return removed.length;
}
