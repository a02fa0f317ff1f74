import { jsonText, type Queryable } from '@loopwatch/storage';
import { TAG } from '../storage/sums.ts';
import { among, deleteIncidents } from './remove-oldest.ts';

/** Tables whose rows an erasure deletes. The embedded database rewrites them, so that no deleted row stays in its files. */
export const erasedTables = [
  'verdicts',
  'verdict_docs',
  'incidents',
  'incident_docs',
  'notification_messages',
  'triage',
  'sessions',
  'session_docs',
  'session_texts',
  'messages',
  'gateway_replies',
  'settings',
  'sample_sessions',
  'agent_loops',
  'session_sums',
  'dimension_sums',
  'tag_values',
  'repeated_loops',
] as const;

/**
 * Deletes everything that is stored of sessions, and adds their incidents to the sums of deleted ones. The transaction holds
 * the change lock.
 *
 * @returns how many messages
 */
export async function eraseRows(tx: Queryable, sessionIds: readonly string[]): Promise<number> {
  const ids = jsonText(sessionIds);
  await eraseVerdicts(tx, sessionIds);
  await eraseSessions(tx, sessionIds);
  const messages = await tx.query(`delete from messages where session_id ${among} returning 1`, [ids]);
  await tx.query(`delete from gateway_replies where session_id ${among}`, [ids]);
  await tx.query(`delete from sample_sessions where id ${among}`, [ids]);
  await tx.query(`delete from settings where scope ${among}`, [
    jsonText(sessionIds.map((id) => `session:${id}`)),
  ]);
  await eraseNames(tx);
  return messages.length;
}

/** Deletes what sums are named by, such as tags, if nothing that is stored has it. */
async function eraseNames(tx: Queryable): Promise<void> {
  for (const [table, count] of [
    ['agent_loops', 'loops'],
    ['session_sums', 'sessions'],
    ['dimension_sums', 'found'],
  ] as const)
    await tx.query(`delete from ${table} where ${count} = 0`);
  await tx.query(
    `delete from tag_values v where not exists (
       select from dimension_sums d where d.dimension = '${TAG}' || v.key and d.value = v.value)`,
  );
}

/** Deletes the summaries of sessions, and the texts they are found by. */
export async function eraseSessions(tx: Queryable, sessionIds: readonly string[]): Promise<void> {
  await tx.query(`delete from sessions where id ${among}`, [jsonText(sessionIds)]);
}

/** Deletes the verdicts and incidents of sessions, with their triage. */
export async function eraseVerdicts(tx: Queryable, sessionIds: readonly string[]): Promise<void> {
  const incidents = await incidentsOf(tx, sessionIds);
  if (incidents.length > 0) await deleteIncidents(tx, incidents);
  await tx.query(`delete from verdicts where session_id ${among}`, [jsonText(sessionIds)]);
}

/** The ids of the incidents of sessions. */
export async function incidentsOf(database: Queryable, sessionIds: readonly string[]): Promise<string[]> {
  const rows = await database.query<{ id: string }>(`select id from incidents where session_id ${among}`, [
    jsonText(sessionIds),
  ]);
  return rows.map(({ id }) => id);
}
