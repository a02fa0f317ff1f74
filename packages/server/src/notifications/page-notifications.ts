import type { NotificationPut } from '@loopwatch/contract/api';
import {
  hiddenValue,
  indirectSecret,
  literalNotificationSchema,
  notificationSecrets,
} from '@loopwatch/contract/internal';
import { type Database, jsonText, type Queryable } from '@loopwatch/storage';
import { parseValue } from '../http/parse-body.ts';
import { badRequest } from '../http/problem.ts';
import type { NotificationChannel } from './channel.ts';
import { outboxChannel } from './outbox.ts';

type Entry = Readonly<Record<string, unknown>>;

/** The keys that determine where a message, and with it a secret, is sent. */
const addressKeys = ['type', 'url', 'api_url', 'base_url', 'endpoint', 'host', 'port'];

/** The receivers that were set up in the dashboard, with their secrets. */
export async function readPageNotifications(database: Queryable): Promise<NotificationChannel[]> {
  const rows = await database.query<{ entry: NotificationChannel }>(
    'select entry from page_notifications order by created_at, name',
  );
  return rows.map(({ entry }) => entry);
}

/**
 * Creates or replaces a receiver. A secret that is sent back hidden keeps its value, as long as the address is the same:
 * changing the address must not reveal the secret.
 *
 * @throws HttpProblem 400 that names each bad key
 */
export async function putPageNotification(
  database: Database,
  name: string,
  put: NotificationPut,
  { by, at }: { readonly by: string; readonly at: number },
): Promise<void> {
  await database.transaction(async (tx) => {
    const [stored] = await tx.query<{ entry: Entry }>(
      'select entry from page_notifications where name = $1 for update',
      [name],
    );
    const entry = parseEntry({ ...withKeptSecrets(put, stored?.entry), name });
    await tx.query(
      `insert into page_notifications (name, entry, created_by, created_at) values ($1, $2::jsonb, $3, $4::float8)
       on conflict (name) do update set entry = excluded.entry`,
      [name, jsonText(entry), by, at],
    );
    await tx.query(`select pg_notify('${outboxChannel}', '')`);
  });
}

/** Removes a receiver with its waiting messages. @returns whether it existed */
export function deletePageNotification(database: Database, name: string): Promise<boolean> {
  return database.transaction(async (tx) => {
    const removed = await tx.query('delete from page_notifications where name = $1 returning 1', [name]);
    if (removed.length === 0) return false;
    await tx.query('delete from notification_messages where name = $1', [name]);
    await tx.query('delete from notification_channels where name = $1', [name]);
    await tx.query(`select pg_notify('${outboxChannel}', '')`);
    return true;
  });
}

/** @throws HttpProblem 400 when a hidden secret cannot be kept */
function withKeptSecrets(put: Entry, stored: Entry | undefined): Entry {
  const hidden = notificationSecrets(put).filter((key) => put[key] === hiddenValue);
  const isSameAddress =
    stored !== undefined &&
    addressKeys.every(
      (key) => put[key] === hiddenValue || put[key] === undefined || put[key] === stored[key],
    );
  const missing = hidden.filter((key) => !isSameAddress || stored[key] === undefined);
  if (missing.length > 0) {
    const detail =
      stored === undefined ? 'enter the secret' : 'enter the secret again: the address has changed';
    throw badRequest(...missing.map((path) => ({ path, detail })));
  }
  return { ...put, ...Object.fromEntries(hidden.map((key) => [key, stored?.[key]])) };
}

function parseEntry(entry: Entry): NotificationChannel {
  const indirect = indirectSecret(entry);
  if (indirect !== undefined)
    throw badRequest({
      path: indirect,
      detail: 'is supported in the configuration only; enter the secret itself here',
    });
  return parseValue(entry, literalNotificationSchema) as NotificationChannel;
}
