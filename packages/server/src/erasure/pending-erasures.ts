import { jsonText, type Queryable } from '@loopwatch/storage';
import type { AuditOrigin } from '../audit/audit-log.ts';

/** An erasure that has begun. Once rows are deleted, nothing else tells which sessions it is about. */
export interface PendingErasure {
  readonly id: string;
  /** As in the audit log. */
  readonly subject: string;
  readonly by: AuditOrigin;
  readonly sessionIds: readonly string[];
  /** Those of which the database held something. */
  readonly storedIds: readonly string[];
  readonly incidentIds: readonly string[];
}

export async function pendingErasures(database: Queryable): Promise<PendingErasure[]> {
  const rows = await database.query<{ doc: PendingErasure }>('select doc from erasures order by id');
  return rows.map(({ doc }) => doc);
}

/** Replaces what was stored of the same erasure. */
export async function storePending(database: Queryable, pending: PendingErasure): Promise<void> {
  await database.query(
    'insert into erasures (id, doc) values ($1, $2::jsonb) on conflict (id) do update set doc = excluded.doc',
    [pending.id, jsonText(pending)],
  );
}

/** @returns whether it was stored: another server may have finished it */
export async function removePending(database: Queryable, id: string): Promise<boolean> {
  const rows = await database.query('delete from erasures where id = $1 returning 1', [id]);
  return rows.length > 0;
}
