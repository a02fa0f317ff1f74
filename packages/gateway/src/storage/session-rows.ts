import { jsonText, type Queryable, recordset } from '@loopwatch/storage';

/** A session as a row; `state` is empty until it is kept for the first time. */
export interface SessionRow {
  readonly id: string;
  readonly owner: string;
  readonly settings: string;
  readonly state: string;
  readonly expires_at: number;
}

const columns = {
  id: 'text',
  owner: 'text',
  settings: 'text',
  state: 'text',
  expires_at: 'float8',
} as const;

/**
 * Makes a session the gateway's, unless another one has it.
 *
 * @param gone gateways that do not answer: what they have can be taken
 * @returns the session, with the gateway that has it now
 */
export async function takeSession(
  database: Queryable,
  { id, owner, expires_at: expiresAt }: Pick<SessionRow, 'id' | 'owner' | 'expires_at'>,
  gone: readonly string[],
): Promise<SessionRow> {
  const [row] = await database.query<SessionRow>(
    `insert into gateway_sessions as s (id, owner, settings, state, expires_at) values ($1, $2, '', '', $3)
     on conflict (id) do update set owner = case
       when s.owner is null or s.owner in (select jsonb_array_elements_text($4::jsonb)) then excluded.owner
       else s.owner end
     returning id, owner, settings, state, expires_at`,
    [id, owner, expiresAt, jsonText(gone)],
  );
  if (row === undefined) throw new Error('the database returned no session');
  return row;
}

/** Of all sessions that were kept. */
export async function sessionIds(database: Queryable): Promise<string[]> {
  const rows = await database.query<{ id: string }>(`select id from gateway_sessions where state <> ''`);
  return rows.map(({ id }) => id);
}

/** Keeps sessions that are the gateway's. @returns the ids of those that were kept: others are another gateway's by now */
export async function keepSessions(
  database: Queryable,
  rows: readonly SessionRow[],
): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set();
  // All writers take rows in one order, which rules out deadlocks.
  const sorted = [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));
  const kept = await database.query<{ id: string }>(
    `insert into gateway_sessions as s (id, owner, settings, state, expires_at)
     select id, owner, settings, state, expires_at from ${recordset(columns)}
     on conflict (id) do update set owner = excluded.owner, settings = excluded.settings, state = excluded.state,
       expires_at = excluded.expires_at
     where s.owner is null or s.owner = excluded.owner
     returning id`,
    [jsonText(sorted)],
  );
  return new Set(kept.map(({ id }) => id));
}

/** Gives a session up, so that another gateway can have it. */
export async function giveSession(database: Queryable, id: string, owner: string): Promise<void> {
  await database.query('update gateway_sessions set owner = null where id = $1 and owner = $2', [id, owner]);
}

/** @param owner whose sessions are given up; all, where absent: no other gateway can have any */
export async function giveSessions(database: Queryable, owner?: string): Promise<void> {
  await database.query(
    'update gateway_sessions set owner = null where owner is not null and ($1::text is null or owner = $1)',
    [owner ?? null],
  );
}

/** Detection settings by their hash, as JSON. */
export async function keepSettings(
  database: Queryable,
  versions: readonly { readonly hash: string; readonly doc: string; readonly used_at: number }[],
): Promise<void> {
  if (versions.length === 0) return;
  await database.query(
    `insert into gateway_settings (hash, doc, used_at)
     select hash, doc, used_at from ${recordset({ hash: 'text', doc: 'text', used_at: 'float8' })}
     on conflict (hash) do update set used_at = greatest(gateway_settings.used_at, excluded.used_at)`,
    [jsonText(versions)],
  );
}

export async function settingsByHash(database: Queryable, hash: string): Promise<string | undefined> {
  const [row] = await database.query<{ doc: string }>('select doc from gateway_settings where hash = $1', [
    hash,
  ]);
  return row?.doc;
}
