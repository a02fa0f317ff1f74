import { jsonText, type Queryable, recordset } from '@loopwatch/storage';

/** A stored session; `state` is empty until its first snapshot. */
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
 * Claims a session for a gateway, unless another one owns it.
 *
 * @param unresponsive gateways that do not answer: their sessions may be claimed
 * @returns the session with its current owner
 */
export async function claimSession(
  database: Queryable,
  { id, owner, expires_at: expiresAt }: Pick<SessionRow, 'id' | 'owner' | 'expires_at'>,
  unresponsive: readonly string[],
): Promise<SessionRow> {
  const [row] = await database.query<SessionRow>(
    `insert into gateway_sessions as s (id, owner, settings, state, expires_at) values ($1, $2, '', '', $3)
     on conflict (id) do update set owner = case
       when s.owner is null or s.owner in (select jsonb_array_elements_text($4::jsonb)) then excluded.owner
       else s.owner end
     returning id, owner, settings, state, expires_at`,
    [id, owner, expiresAt, jsonText(unresponsive)],
  );
  if (row === undefined) throw new Error('the database returned no session');
  return row;
}

/** Ids of all sessions with a snapshot. */
export async function sessionIds(database: Queryable): Promise<string[]> {
  const rows = await database.query<{ id: string }>(`select id from gateway_sessions where state <> ''`);
  return rows.map(({ id }) => id);
}

/** Stores snapshots of sessions that the gateway owns. @returns the stored ids; the others belong to another gateway by now */
export async function storeSessions(
  database: Queryable,
  rows: readonly SessionRow[],
): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set();
  // All writers lock rows in the same order, which rules out deadlocks.
  const sorted = [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));
  const stored = await database.query<{ id: string }>(
    `insert into gateway_sessions as s (id, owner, settings, state, expires_at)
     select id, owner, settings, state, expires_at from ${recordset(columns)}
     on conflict (id) do update set owner = excluded.owner, settings = excluded.settings, state = excluded.state,
       expires_at = excluded.expires_at
     where s.owner is null or s.owner = excluded.owner
     returning id`,
    [jsonText(sorted)],
  );
  return new Set(stored.map(({ id }) => id));
}

/** Releases a session, so that another gateway can claim it. */
export async function releaseSession(database: Queryable, id: string, owner: string): Promise<void> {
  await database.query('update gateway_sessions set owner = null where id = $1 and owner = $2', [id, owner]);
}

/** Releases all sessions of a gateway, or all sessions if no owner is given. */
export async function releaseSessions(database: Queryable, owner?: string): Promise<void> {
  await database.query(
    'update gateway_sessions set owner = null where owner is not null and ($1::text is null or owner = $1)',
    [owner ?? null],
  );
}

/** Stores detection settings by their hash, as JSON. */
export async function storeSettings(
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
