import type { Database, Queryable } from '@loopwatch/storage';
import { lockChanges } from '../storage/change-lock.ts';

const DAY = 86_400_000;

/** Whether sample sessions were stopped by a user; survives restarts. */
export async function areSamplesStopped(database: Queryable): Promise<boolean> {
  const [row] = await database.query<{ stopped: boolean }>('select stopped from samples');
  return row?.stopped ?? false;
}

export async function storeSamplesStopped(database: Queryable, stopped: boolean): Promise<void> {
  await database.query('update samples set stopped = $1', [stopped]);
}

/** Marks a session as a sample, before its first event. */
export async function markSample(database: Queryable, id: string, now: number): Promise<void> {
  await database.query(
    'insert into sample_sessions (id, at) values ($1, $2) on conflict (id) do update set at = excluded.at',
    [id, now],
  );
}

/** The number of stored sample sessions. */
export async function countSamples(database: Queryable): Promise<number> {
  const [row] = await database.query<{ sessions: number }>(
    'select count(*)::float8 as sessions from sessions join sample_sessions using (id)',
  );
  return row?.sessions ?? 0;
}

/** Marks all sample sessions for deletion, including records that are yet to be read. */
export async function markSamplesRemoved(database: Queryable): Promise<void> {
  await database.query('update sample_sessions set removed = true');
}

/** Deletes all data of sample sessions that are marked for deletion. */
export async function removeSamples(database: Database, now: number): Promise<void> {
  const isRemoved = 'in (select id from sample_sessions where removed)';
  await database.transaction(async (tx) => {
    await lockChanges(tx);
    await tx.query(
      `delete from triage where incident_id in (select id from incidents where session_id ${isRemoved})`,
    );
    await tx.query(`delete from verdicts where session_id ${isRemoved}`);
    await tx.query(`delete from incidents where session_id ${isRemoved}`);
    await tx.query(`delete from sessions where id ${isRemoved}`);
    await tx.query(
      'delete from sample_sessions s where at < $1 and not exists (select 1 from sessions where id = s.id)',
      [now - DAY],
    );
  });
}
