import type { EscalationBaseline, Mute, MuteCause, MuteItem, MuteRecord } from '@loopwatch/contract/api';
import { jsonText, type Queryable, recordset } from '@loopwatch/storage';
import { rankedActions } from '../incidents/columns.ts';
import { actionRank, causeColumns, ESCALATION_FACTOR, matchesCause, rematchMute } from './match-mutes.ts';

const causeTypes = {
  detector: 'text',
  tool: 'text',
  group_key: 'text',
  agent: 'text',
  model: 'text',
  tenant: 'text',
} as const;
const columns = {
  id: 'text',
  ...causeTypes,
  until: 'float8',
  max_action: 'integer',
  max_count: 'float8',
  max_tokens: 'float8',
  at: 'float8',
  doc: 'jsonb',
  removed: 'boolean',
  published: 'boolean',
} as const;

/** The active mutes, newest first. @param now wall clock, epoch ms */
export async function listMutes(database: Queryable, now: number): Promise<MuteItem[]> {
  const rows = await database.query<{ doc: Mute; incidents: number }>(
    `select m.doc, (select count(*)::float8 from incidents i where i.mute_id = m.id
         and i.triage not in ('acknowledged', 'false_positive')) as incidents
     from mutes m where not m.removed and (m.until is null or m.until > $1::float8) order by m.at desc, m.id`,
    [now],
  );
  return rows.map(({ doc, incidents }) => ({ ...doc, incidents }));
}

/** The maxima over all incidents with this cause; undefined when there is none. */
export async function worstOf(tx: Queryable, cause: MuteCause): Promise<EscalationBaseline | undefined> {
  const [row] = await tx.query<{ action: number | null; count: number | null; tokens: number | null }>(
    `select max(${actionRank}) as action, max(i.count) as count, max(i.tokens) filter (where i.tokens >= 0) as tokens
     from incidents i cross join (select * from ${recordset(causeTypes)}) as m where ${matchesCause}`,
    [jsonText([causeRow(cause)])],
  );
  if (row === undefined || row.action === null || row.count === null) return undefined;
  return { action: rankedActions[row.action - 1] ?? 'none', count: row.count, tokens: row.tokens };
}

/** Stores a new mute. The transaction holds the change lock. */
export function addMute(tx: Queryable, mute: Mute): Promise<void> {
  return write(tx, { v: 1, mute, removed: false }, false);
}

/** @returns whether the mute existed. The transaction holds the change lock. */
export async function removeMute(tx: Queryable, id: string): Promise<boolean> {
  const [found] = await tx.query<{ doc: Mute }>('select doc from mutes where id = $1 and not removed', [id]);
  if (found === undefined) return false;
  await write(tx, { v: 1, mute: found.doc, removed: true }, false);
  return true;
}

/** Stores records of the `triage` topic. The transaction holds the change lock. */
export async function storeMutes(tx: Queryable, records: readonly MuteRecord[]): Promise<void> {
  for (const record of records) await write(tx, record, true);
}

function causeRow(cause: MuteCause): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(causeColumns).map(([name, column]) => [column, cause[name as keyof MuteCause] ?? null]),
  );
}

/** Mutes are immutable except for their removal. */
async function write(tx: Queryable, { mute, removed }: MuteRecord, published: boolean): Promise<void> {
  const { id, cause, until, escalation, at } = mute;
  const row = {
    id,
    ...causeRow(cause),
    until,
    max_action: escalation && rankedActions.indexOf(escalation.action) + 1,
    max_count: escalation && escalation.count * ESCALATION_FACTOR,
    max_tokens: escalation?.tokens == null ? null : escalation.tokens * ESCALATION_FACTOR,
    at,
    doc: mute,
    removed,
    published,
  };
  const written = await tx.query(
    `insert into mutes (${Object.keys(columns).join(', ')}) select * from ${recordset(columns)}
     on conflict (id) do update set removed = true, published = excluded.published, change = nextval('changes')
       where excluded.removed and not mutes.removed
     returning 1`,
    [jsonText([row])],
  );
  if (written.length > 0) await rematchMute(tx, id);
}
