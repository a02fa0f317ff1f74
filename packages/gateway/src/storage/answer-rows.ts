import { jsonText, type Queryable, recordset } from '@loopwatch/storage';

/** Whose session an answer was given in; of an answer of the gateway's own, also what it answered. */
export interface AnswerRow {
  readonly id: string;
  readonly session_id: string;
  /** JSON of the request; null where the model's API knows the answer. */
  readonly request: string | null;
  readonly told: string | null;
  readonly at: number;
}

export async function keepAnswers(database: Queryable, rows: readonly AnswerRow[]): Promise<void> {
  if (rows.length === 0) return;
  const columns = { id: 'text', session_id: 'text', request: 'text', told: 'text', at: 'float8' };
  await database.query(
    `insert into gateway_answers (id, session_id, request, told, at)
     select id, session_id, request, told, at from ${recordset(columns)}
     on conflict (id) do nothing`,
    [jsonText(rows)],
  );
}

export async function answerById(database: Queryable, id: string): Promise<AnswerRow | undefined> {
  const [row] = await database.query<AnswerRow>(
    'select id, session_id, request, told, at from gateway_answers where id = $1',
    [id],
  );
  return row;
}
