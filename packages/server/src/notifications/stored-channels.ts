import { type Database, jsonText, type Queryable } from '@loopwatch/storage';
import { DAY_MS } from './outbox.ts';

/** Delivery state of a receiver, shared by all servers of a database. */
export interface StoredChannel {
  readonly name: string;
  /** Incidents detected before are not sent; wall clock, epoch ms. */
  readonly since: number;
  /** No message is sent before this time. */
  readonly nextAt: number;
  /** Failures since the latest success. */
  readonly failures: number;
  readonly failingSince: number | null;
  readonly error: string | null;
  readonly lastSentAt: number | null;
  readonly sent: number;
  readonly failed: number;
  readonly waiting: number;
}

const LEASE_MS = 30_000;

/** Registers receivers. A receiver that no server has registered for a day starts over, without history. */
export async function registerChannels(
  database: Queryable,
  names: readonly string[],
  now: number,
): Promise<void> {
  await database.query(
    `insert into notification_channels (name, since, seen_at)
     select name, $2::float8, $2::float8 from jsonb_array_elements_text($1::jsonb) as n(name)
     on conflict (name) do update set seen_at = excluded.seen_at,
       since = case when notification_channels.seen_at < $2::float8 - ${String(DAY_MS)} then $2::float8
         else notification_channels.since end`,
    [jsonText(names), now],
  );
}

export async function readChannels(database: Queryable, names: readonly string[]): Promise<StoredChannel[]> {
  return database.query<StoredChannel>(
    `select name, since, next_at as "nextAt", failures, failing_since as "failingSince", error,
       last_sent_at as "lastSentAt", sent::float8 as sent, failed::float8 as failed,
       (select count(*) from notification_messages m where m.name = c.name and m.due_at is not null)::float8 as waiting
     from notification_channels c where name in (select jsonb_array_elements_text($1::jsonb)) order by name`,
    [jsonText(names)],
  );
}

/**
 * Acquires or renews the lease of a receiver: one server sends its messages. An embedded database belongs to one process,
 * so a lease of another owner is stale.
 */
export async function acquireLease(
  database: Database,
  name: string,
  owner: string,
  now: number,
): Promise<boolean> {
  const free = database.kind === 'pglite' ? 'true' : '(owner = $2 or lease_until < $3::float8)';
  const rows = await database.query(
    `update notification_channels set owner = $2, lease_until = $3::float8 + ${String(LEASE_MS)}, seen_at = $3::float8
     where name = $1 and ${free} returning 1`,
    [name, owner, now],
  );
  return rows.length > 0;
}

export async function releaseLease(database: Queryable, name: string, owner: string): Promise<void> {
  await database.query('update notification_channels set lease_until = 0 where name = $1 and owner = $2', [
    name,
    owner,
  ]);
}
