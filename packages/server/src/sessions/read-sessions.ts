import { type SessionSummary, sessionAt, storableText } from '@loopwatch/contract';
import type { SessionItem, SessionState } from '@loopwatch/contract/api';
import { jsonText, type Queryable } from '@loopwatch/storage';
import { HttpProblem } from '../http/problem.ts';

interface SessionRow {
  readonly id: string;
  readonly state: SessionState;
  readonly active_at: number;
  readonly updated_at: number;
  readonly doc: SessionSummary;
  readonly sample: boolean;
}

/** @param now wall clock, epoch ms @throws HttpProblem 404 */
export async function requireSession(database: Queryable, id: string, now: number): Promise<SessionItem> {
  const [session] = await sessionItems(database, [id], now);
  if (session !== undefined) return session;
  throw new HttpProblem(
    404,
    `Session ${id} not found: it has sent no event yet, or retention has deleted it`,
  );
}

/** The sessions with these ids, in the same order; unknown ids are skipped. @param now wall clock, epoch ms */
export async function sessionItems(
  database: Queryable,
  ids: readonly string[],
  now: number,
): Promise<SessionItem[]> {
  if (ids.length === 0) return [];
  const rows = await database.query<SessionRow>(
    `select id, state, active_at, updated_at, doc,
       exists (select 1 from sample_sessions s where s.id = sessions.id) as sample from sessions
     where id in (select jsonb_array_elements_text($1::jsonb))`,
    [jsonText(ids)],
  );
  const byId = new Map(rows.map((row) => [row.id, toItem(row, now)]));
  return ids.flatMap((id) => byId.get(storableText(id)) ?? []);
}

function toItem(
  { state, active_at: lastActivityAt, updated_at: updatedAt, doc, sample }: SessionRow,
  now: number,
): SessionItem {
  const summary: Partial<SessionSummary> & Omit<SessionSummary, 'v' | 'status'> = { ...doc };
  delete summary.v;
  delete summary.status;
  delete summary.openIncidents;
  // The number of unresolved incidents; how many of them are open depends on the clock.
  const incidents = { ...summary.incidents, open: 0, quiet: summary.incidents.open };
  return sessionAt(
    { ...summary, incidents, state, lastActivityAt, updatedAt, ...(sample && { sample }) },
    now,
  );
}
