import type { IncidentItem, SessionItem } from '@loopwatch/contract/api';
import type { Queryable } from '@loopwatch/storage';
import { incidentItems } from '../incidents/read-incidents.ts';
import { sessionItems } from '../sessions/read-sessions.ts';
import { latestChange } from '../storage/change-lock.ts';

export interface Changes {
  /** Number of the latest change. */
  readonly sequence: number;
  readonly incidents: IncidentItem[];
  readonly sessions: SessionItem[];
  readonly settings: string[];
  readonly mutes: string[];
  /** How many more changed. */
  readonly dropped: { readonly incidents: number; readonly sessions: number };
}

export interface ChangeLimits {
  readonly incidents: number;
  readonly sessions: number;
}

/** The latest changes after a number, up to the limits. @param now wall clock, epoch ms */
export async function changesSince(
  database: Queryable,
  since: number,
  limits: ChangeLimits,
  now: number,
): Promise<Changes> {
  const sequence = await latestChange(database);
  if (sequence <= since) {
    return {
      sequence: since,
      incidents: [],
      sessions: [],
      settings: [],
      mutes: [],
      dropped: { incidents: 0, sessions: 0 },
    };
  }
  const incidents = await changedIds(database, 'incidents', since, sequence, limits.incidents);
  const sessions = await changedIds(database, 'sessions', since, sequence, limits.sessions);
  const settings = await database.query<{ scope: string }>(
    'select scope from settings where change > $1 and change <= $2 order by change',
    [since, sequence],
  );
  const mutes = await database.query<{ id: string }>(
    'select id from mutes where change > $1 and change <= $2 order by change',
    [since, sequence],
  );
  return {
    sequence,
    incidents: await incidentItems(database, incidents.ids, now),
    sessions: await sessionItems(database, sessions.ids, now),
    settings: settings.map(({ scope }) => scope),
    mutes: mutes.map(({ id }) => id),
    dropped: { incidents: incidents.others, sessions: sessions.others },
  };
}

async function changedIds(
  database: Queryable,
  table: 'incidents' | 'sessions',
  since: number,
  upTo: number,
  limit: number,
): Promise<{ ids: string[]; others: number }> {
  const rows = await database.query<{ id: string }>(
    `select id from ${table} where change > $1 and change <= $2 order by change desc limit ${String(limit + 1)}`,
    [since, upTo],
  );
  const ids = rows.slice(0, limit).map(({ id }) => id);
  if (rows.length <= limit) return { ids, others: 0 };
  const [all] = await database.query<{ changed: number }>(
    `select count(*)::float8 as changed from ${table} where change > $1 and change <= $2`,
    [since, upTo],
  );
  return { ids, others: (all?.changed ?? 0) - ids.length };
}
