import { randomUUID } from 'node:crypto';
import { type Database, jsonText, type Queryable } from '@loopwatch/storage';

/** A message that is due. */
export interface DueRow {
  readonly incident_id: string;
  readonly state: string;
  readonly sent: string | null;
  readonly ref: string | null;
  readonly digest: string | null;
  readonly attempts: number;
  readonly due_since: number;
}

const BATCH_SIZE = 50;
const MINUTE_MS = 60_000;

const rowColumns = 'incident_id, state, sent, ref, digest, attempts, due_since';
/** The most severe first. */
const byRank = `array_position(array['block', 'chance', 'resolved', 'warn'], state), due_at, incident_id`;

/**
 * Reads the messages that are due. First messages are rate limited; those that have waited for a minute are combined into one
 * digest, whose id is stored before it is sent.
 *
 * @param limit first messages per minute; null: no limit
 */
export async function readDueRows(
  database: Database,
  { name, limit, now }: { readonly name: string; readonly limit: number | null; readonly now: number },
): Promise<DueRow[]> {
  const due = 'name = $1 and due_at <= $2::float8';
  if (limit === null)
    return database.query<DueRow>(
      `select ${rowColumns} from notification_messages where ${due} order by ${byRank} limit ${String(BATCH_SIZE)}`,
      [name, now],
    );
  const updates = await database.query<DueRow>(
    `select ${rowColumns} from notification_messages where ${due} and (sent is not null or digest is not null)
     order by ${byRank} limit ${String(BATCH_SIZE)}`,
    [name, now],
  );
  const [window] = await database.query<{ used: number }>(
    `select count(*)::float8 as used from notification_messages where name = $1 and first_sent_at > $2::float8`,
    [name, now - MINUTE_MS],
  );
  const left = Math.min(BATCH_SIZE, Math.max(0, limit - (window?.used ?? 0)));
  const first = await database.query<DueRow>(
    `select ${rowColumns} from notification_messages where ${due} and sent is null and digest is null
     order by ${byRank} limit ${String(left)}`,
    [name, now],
  );
  const digested = first.length < left ? [] : await makeDigest(database, name, now, first);
  return [...updates, ...first, ...digested];
}

async function makeDigest(
  database: Queryable,
  name: string,
  now: number,
  first: readonly DueRow[],
): Promise<DueRow[]> {
  return database.query<DueRow>(
    `update notification_messages set digest = $3 where name = $1 and due_at <= $2::float8 and sent is null
       and digest is null and due_since <= $2::float8 - ${String(MINUTE_MS)}
       and incident_id not in (select jsonb_array_elements_text($4::jsonb))
     returning ${rowColumns}`,
    [name, now, `msg_${randomUUID()}`, jsonText(first.map(({ incident_id }) => incident_id))],
  );
}

/** When the next message is due, epoch ms; null when none waits. */
export async function nextDueAt(database: Queryable, name: string): Promise<number | null> {
  const [row] = await database.query<{ at: number | null }>(
    'select min(due_at) as at from notification_messages where name = $1 and due_at is not null',
    [name],
  );
  return row?.at ?? null;
}

/** Marks rows as sent or failed; rows that changed meanwhile stay due. */
export async function settleRows(
  tx: Queryable,
  name: string,
  rows: readonly DueRow[],
  result: { readonly sentAt: number; readonly ref?: string } | { readonly failed: string | null },
): Promise<void> {
  const sent = 'sentAt' in result;
  await tx.query(
    `update notification_messages m set due_at = case when m.state = r.state then null else m.due_at end, attempts = 0,
       sent = case when $3 then r.state else m.sent end, ref = coalesce($5, m.ref), failed = $6,
       sent_at = coalesce($4::float8, m.sent_at),
       first_sent_at = case when $3 and r.digest is null then coalesce(m.first_sent_at, $4::float8) else m.first_sent_at end
     from jsonb_to_recordset($2::jsonb) as r(incident_id text, state text, digest text)
     where m.name = $1 and m.incident_id = r.incident_id`,
    [
      name,
      jsonText(rows),
      sent,
      sent ? result.sentAt : null,
      sent ? (result.ref ?? null) : null,
      sent ? null : result.failed,
    ],
  );
}

export async function postponeRows(
  tx: Queryable,
  name: string,
  rows: readonly DueRow[],
  until: number,
): Promise<void> {
  await tx.query(
    `update notification_messages set due_at = $3::float8, attempts = attempts + 1
     where name = $1 and due_at is not null and incident_id in (select jsonb_array_elements_text($2::jsonb))`,
    [name, jsonText(rows.map(({ incident_id }) => incident_id)), until],
  );
}
