import { jsonText, type Queryable, recordset } from '@loopwatch/storage';

/** The session of a reply; for a synthetic reply, also the request it answered and its text. */
export interface ReplyRow {
  readonly id: string;
  readonly session_id: string;
  /** JSON of the request; null if the upstream knows the reply. */
  readonly request: string | null;
  readonly response: string | null;
  readonly at: number;
}

export async function insertReplies(database: Queryable, rows: readonly ReplyRow[]): Promise<void> {
  if (rows.length === 0) return;
  const columns = { id: 'text', session_id: 'text', request: 'text', response: 'text', at: 'float8' };
  await database.query(
    `insert into gateway_replies (id, session_id, request, response, at)
     select id, session_id, request, response, at from ${recordset(columns)}
     on conflict (id) do nothing`,
    [jsonText(rows)],
  );
}

export async function replyById(database: Queryable, id: string): Promise<ReplyRow | undefined> {
  const [row] = await database.query<ReplyRow>(
    'select id, session_id, request, response, at from gateway_replies where id = $1',
    [id],
  );
  return row;
}
