import { type Database, removeMessages } from '@loopwatch/storage';

/** Rows deleted from each table in one run. */
const MAX_ROWS = 5_000;
const DAY = 86_400_000;
const MEBIBYTE = 1_048_576;
/** Factor for indexes and row headers. */
const OVERHEAD = 1.5;

export interface RetentionLimits {
  readonly retentionDays: number | null;
  readonly retentionMegabytes: number | null;
}

/** Deletes expired and surplus rows. @param now wall clock, epoch ms */
export async function applyRetention(
  database: Database,
  { retentionDays, retentionMegabytes }: RetentionLimits,
  now: number,
): Promise<void> {
  const limit = String(MAX_ROWS);
  if (retentionDays !== null) {
    const before = now - retentionDays * DAY;
    await database.query(
      `delete from gateway_replies where id in (select id from gateway_replies where at < $1::float8 order by at limit ${limit})`,
      [before],
    );
    await removeMessages(database, { limit: MAX_ROWS, before });
  }
  if (retentionMegabytes !== null) await removeSurplus(database, retentionMegabytes * MEBIBYTE);
}

async function removeSurplus(database: Database, limit: number): Promise<void> {
  const [row] = await database.query<{ messages: number; bytes: number }>(
    `select m.n::float8 as messages, (${String(OVERHEAD)} * m.n * (select coalesce(avg(pg_column_size(s.*)), 0)
       from (select * from messages order by number desc limit 500) as s))::float8 as bytes
     from (select count(*) as n from messages) as m`,
  );
  const { messages = 0, bytes = 0 } = row ?? {};
  if (bytes <= limit) return;
  const surplus = Math.ceil((messages * (bytes - limit)) / bytes);
  await removeMessages(database, { limit: Math.min(surplus, MAX_ROWS) });
}
