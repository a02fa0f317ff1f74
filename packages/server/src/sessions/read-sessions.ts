import { type SessionSummary, sessionAt, storableText } from '@loopwatch/contract';
import type { SessionItem, SessionPart, SessionState } from '@loopwatch/contract/api';
import { jsonText, type Queryable } from '@loopwatch/storage';
import { HttpProblem } from '../http/problem.ts';
import { inOrder } from '../storage/in-order.ts';
import { isStoppedSql } from '../storage/state-sql.ts';
import type { SessionPart as StoredPart, WholeSession } from './session-parts.ts';

interface SessionRow {
  readonly id: string;
  readonly state: SessionState;
  readonly active_at: number;
  readonly updated_at: number;
  readonly doc: WholeSession;
  readonly parts: readonly StoredPart[] | null;
  readonly sample: boolean;
  readonly stopped: boolean;
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
    `select id, state, active_at, updated_at, doc, parts,
       exists (select 1 from sample_sessions s where s.id = sessions.id) as sample, ${isStoppedSql('sessions.id')} as stopped
     from sessions join session_docs using (id) where id in (select jsonb_array_elements_text($1::jsonb))`,
    [jsonText(ids)],
  );
  const items = rows.map((row) => [row.id, toItem(row, now)] as const);
  return inOrder(ids.map(storableText), items);
}

function toItem(
  { state, active_at: lastActivityAt, updated_at: updatedAt, doc, parts, sample, stopped }: SessionRow,
  now: number,
): SessionItem {
  const { incidents } = doc;
  const summary: Partial<SessionSummary> & Omit<SessionSummary, 'v' | 'status'> = { ...doc };
  delete summary.v;
  delete summary.status;
  delete summary.openIncidents;
  // The number of unresolved incidents; how many of them are open depends on the clock.
  const { open: unresolved, abandoned = 0, ...counts } = incidents;
  const item = {
    ...summary,
    incidents: { ...counts, open: 0, quiet: unresolved + abandoned, ...(abandoned > 0 && { abandoned }) },
    state,
    lastActivityAt,
    updatedAt,
    ...(parts !== null && { parts: parts.map(shownPart) }),
    ...(sample && { sample }),
    ...(stopped && { stopped }),
  };
  return sessionAt(item, now);
}

function shownPart({ startedAt, events, source, merged }: StoredPart): SessionPart {
  return { startedAt, events, source, ...(merged && { merged }) };
}
