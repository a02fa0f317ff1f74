import { type Database, jsonText, recordset, scrubDatabase } from '@loopwatch/storage';
import type { ErasedSession } from '../session/erased-session.ts';

const tables = ['messages', 'gateway_replies'] as const;

/** Deletes what was stored of sessions until they were erased, and its bytes from the files of an embedded database. */
export async function eraseSessions(database: Database, erased: readonly ErasedSession[]): Promise<void> {
  let deleted = 0;
  for (const table of tables) {
    const rows = await database.query(
      `delete from ${table} t using ${recordset({ id: 'text', at: 'float8' })}
       where t.session_id = r.id and t.at <= r.at returning 1`,
      [jsonText(erased)],
    );
    deleted += rows.length;
  }
  // At a start, the topic tells of earlier erasures again.
  if (deleted > 0) await scrubDatabase(database, tables);
}
