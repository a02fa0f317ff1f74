import type { SessionSummary } from '@loopwatch/contract';
import type { SessionItem, SessionState } from '@loopwatch/contract/api';
import { jsonText, type Queryable } from '@loopwatch/storage';

interface SessionRow {
  readonly id: string;
  readonly state: SessionState;
  readonly incidents_open: number;
  readonly updated_at: number;
  readonly doc: SessionSummary;
}

/** The sessions of these ids, in their order; what is not there is left out. */
export async function sessionItems(database: Queryable, ids: readonly string[]): Promise<SessionItem[]> {
  if (ids.length === 0) return [];
  const rows = await database.query<SessionRow>(
    `select id, state, incidents_open, updated_at, doc from sessions
     where id in (select jsonb_array_elements_text($1::jsonb))`,
    [jsonText(ids)],
  );
  const byId = new Map(rows.map((row) => [row.id, toItem(row)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

function toItem({ state, incidents_open: open, updated_at: updatedAt, doc }: SessionRow): SessionItem {
  const summary: Partial<SessionSummary> & Omit<SessionSummary, 'v' | 'status'> = { ...doc };
  delete summary.v;
  delete summary.status;
  return { ...summary, incidents: { ...summary.incidents, open }, state, updatedAt };
}
