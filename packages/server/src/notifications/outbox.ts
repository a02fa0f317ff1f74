import type { IncidentItem } from '@loopwatch/contract/api';
import { jsonText, type Queryable, recordset } from '@loopwatch/storage';
import { incidentItems } from '../incidents/read-incidents.ts';
import type { NotificationChannel } from './channel.ts';
import { stateOf } from './message.ts';
import { matches } from './rules.ts';

/** The notification channel of the database: any server may send what another one has enqueued. */
export const outboxChannel = 'loopwatch_notifications';
/** Payload when messages are due; any other payload: receivers may have changed. */
export const SOMETHING_DUE = 'due';

export const DAY_MS = 86_400_000;

/** Enqueues messages about incidents, in the transaction that writes them. */
export type EnqueueNotifications = (tx: Queryable, incidentIds: readonly string[]) => Promise<void>;

/** A receiver and its creation time; it ignores incidents detected earlier. */
export interface ActiveChannel {
  readonly channel: NotificationChannel;
  readonly since: number;
}

interface KnownRow {
  readonly name: string;
  readonly incident_id: string;
  readonly state: string;
  readonly sent: string | null;
  readonly digest: string | null;
}

const columns = { name: 'text', incident_id: 'text', state: 'text', due: 'boolean' } as const;

/** @param channels the receivers that are active at the moment */
export function createEnqueue(
  channels: () => readonly ActiveChannel[],
  now: () => number,
): EnqueueNotifications {
  return async (tx, incidentIds) => {
    const active = channels();
    if (active.length === 0 || incidentIds.length === 0) return;
    const at = now();
    const items = await incidentItems(tx, [...new Set(incidentIds)], at);
    const known = await knownRows(tx, items);
    const rows = active.flatMap((one) =>
      items.flatMap((item) => {
        const state = stateOf(item);
        const row = known.get(keyOf(one.channel.name, item.id));
        const due = row === undefined ? matchesNew(one, item, at) : isChangeDue(row, item, state, at);
        if (due === undefined) return [];
        return [{ name: one.channel.name, incident_id: item.id, state, due }];
      }),
    );
    if (rows.length === 0) return;
    await tx.query(
      `insert into notification_messages (name, incident_id, state, due_since, due_at)
       select name, incident_id, state, $2::float8, case when due then $2::float8 end from ${recordset(columns)}
       on conflict (name, incident_id) do update set state = excluded.state, due_since = excluded.due_since,
         due_at = excluded.due_at, attempts = 0, failed = null, digest = null,
         sent = case when notification_messages.digest is not null and excluded.due_at is not null then null
           else notification_messages.sent end`,
      [jsonText(rows), at],
    );
    await tx.query(`select pg_notify('${outboxChannel}', '${SOMETHING_DUE}')`);
  };
}

/** @returns undefined when the incident is not for this receiver */
function matchesNew({ channel, since }: ActiveChannel, item: IncidentItem, now: number): true | undefined {
  const { max_age: maxAge } = channel;
  const isNew = maxAge === null || (item.detectedAt >= since && item.lastActivityAt >= now - maxAge * 1_000);
  const wanted = isNew && item.sample !== true && matches(channel.when, item);
  return wanted || undefined;
}

/** @returns whether to send the change; undefined if there is none */
function isChangeDue(row: KnownRow, item: IncidentItem, state: string, now: number): boolean | undefined {
  if (row.state === state || item.lastActivityAt < now - DAY_MS) return undefined;
  // A resolution is sent only after a message about this very incident; one that waits in a digest stays there.
  if (state === 'resolved' && row.digest !== null) return row.sent === null ? undefined : false;
  return true;
}

async function knownRows(tx: Queryable, items: readonly IncidentItem[]): Promise<Map<string, KnownRow>> {
  const rows = await tx.query<KnownRow>(
    `select name, incident_id, state, sent, digest from notification_messages
     where incident_id in (select jsonb_array_elements_text($1::jsonb))`,
    [jsonText(items.map(({ id }) => id))],
  );
  return new Map(rows.map((row) => [keyOf(row.name, row.incident_id), row]));
}

function keyOf(name: string, incidentId: string): string {
  return `${name}\n${incidentId}`;
}
