import { activityAt, QUIET_AFTER_MS, type SessionSummary, storableText } from '@loopwatch/contract';
import { jsonText, type Queryable, type RowOf, recordset, upsert } from '@loopwatch/storage';
import { storeSeenVersions } from '../deploys/write-deploys.ts';
import { figuresByIncident } from '../incidents/latest-figures.ts';
import { matchMutes } from '../triage/match-mutes.ts';
import { addSummary, partKey, type StoredSession, type WholeSession } from './session-parts.ts';
import { writeTexts } from './write-texts.ts';

/** A record of the `sessions` topic; null: a tombstone of an expired session. */
export interface SummaryRecord {
  readonly id: string;
  readonly summary: SessionSummary | null;
  /** The record's timestamp, epoch ms. */
  readonly at: number;
}

const columns = {
  id: 'text',
  state: 'text',
  agent: 'text',
  model: 'text',
  backend: 'text',
  tenant: 'text',
  agent_version: 'text',
  tags: 'jsonb',
  parent: 'text',
  started_at: 'float8',
  last_event_at: 'float8',
  events: 'float8',
  turns: 'float8',
  tool_calls: 'float8',
  characters: 'float8',
  tokens: 'float8',
  usd: 'float8',
  incidents_open: 'float8',
  incidents: 'float8',
  active_at: 'float8',
  updated_at: 'float8',
  title: 'text',
} as const;
const docColumns = { id: 'text', doc: 'jsonb', parts: 'jsonb' } as const;

/**
 * A summary without a newer event, as after a control event or a rebalance, is no activity. One event of a clock that is behind
 * makes no session old that was active: retention would delete it.
 */
const replacing = {
  active_at: `case when sessions.last_event_at = excluded.last_event_at then sessions.active_at
    else greatest(sessions.active_at, excluded.active_at) end`,
};

/** One statement saves a round trip. */
const writeSessions = `with docs as (${upsert('session_docs', docColumns, { parameter: '$2' })})
   ${upsert('sessions', columns, { change: true, replacing })}`;

/**
 * Stores session summaries. An expired session stays, as idle or ended, until retention deletes it, because of its incidents.
 * One that was active until just now expired by a wrong clock: it and its incidents become quiet in their time.
 * The transaction holds the change lock.
 */
export async function writeSummaries(tx: Queryable, records: readonly SummaryRecord[]): Promise<void> {
  const latest = new Map<string, SummaryRecord & { summary: SessionSummary }>();
  const sessions = await sessionsInParts(tx, records);
  const described = await writeEvidence(tx, records);
  const expired = new Map<string, number>();
  for (const { id, summary, at } of records) {
    if (summary === null) expired.set(id, at);
    else {
      expired.delete(id);
      latest.set(id, { id, summary, at });
      sessions.set(storableText(id), addSummary(sessions.get(storableText(id)), docOf(summary, described)));
    }
  }
  const docs = Array.from(latest.values(), ({ id, summary, at }) => {
    const stored = sessions.get(storableText(id)) ?? { doc: docOf(summary, described), parts: null };
    return { id, at, ...stored };
  });
  const rows = docs.map(({ id, at, doc }) => rowOf(id, at, doc));
  if (rows.length > 0) {
    await tx.query(writeSessions, [
      jsonText(rows),
      jsonText(docs.map(({ id, doc, parts }) => ({ id, doc, parts }))),
    ]);
    await writeTexts(
      tx,
      records.filter(({ id }) => latest.has(id)),
    );
    await writeFigures(tx, records);
    await storeSeenVersions(tx, rows);
  }
  if (expired.size === 0) return;
  await tx.query(
    `update sessions set state = 'idle', change = nextval('changes')
     from jsonb_each_text($1::jsonb) as expired
     where state = 'live' and id = expired.key and active_at <= expired.value::float8 - $2::float8`,
    [jsonText(Object.fromEntries(expired)), QUIET_AFTER_MS],
  );
}

/** The stored sessions to whose sums a record may add: those with several parts, and those that begin another one. */
async function sessionsInParts(
  tx: Queryable,
  records: readonly SummaryRecord[],
): Promise<Map<string, StoredSession>> {
  const described = records.flatMap(({ id, summary }) =>
    summary === null ? [] : [{ id, part: partKey(summary.source) }],
  );
  if (described.length === 0) return new Map();
  const rows = await tx.query<StoredSession & { readonly id: string }>(
    `select distinct on (s.id) s.id, s.doc, s.parts
     from ${recordset({ id: 'text', part: 'text' })} join session_docs s on s.id = r.id
     where s.parts is not null or r.part <> concat_ws('/',
       s.doc->'source'->>'topic', s.doc->'source'->>'partition', s.doc->'source'->>'firstOffset')`,
    [jsonText(described)],
  );
  return new Map(rows.map(({ id, doc, parts }) => [id, { doc, parts }]));
}

const figureColumns = {
  id: 'text',
  last_at: 'float8',
  active_at: 'float8',
  count: 'float8',
  calls: 'float8',
  turns: 'float8',
  tokens: 'float8',
  usd: 'float8',
  wasted_calls: 'float8',
  wasted_tokens: 'float8',
  wasted_usd: 'float8',
  duration: 'float8',
  event_index: 'float8',
  figures: 'text',
} as const;

/** What of the figures is shown, and tells whether a summary only repeats the latest verdict. */
const shownFigures = ['last_at', 'count', 'calls', 'turns', 'tokens', 'usd', 'duration'] as const;

/**
 * Updates count and cost of open incidents, unless a later verdict is stored. Right after a verdict, a summary only repeats it:
 * then nothing is stored, because that would cost as much as storing the verdict.
 *
 * @param records all of them: after a long pause, a session's latest summary does not tell its earlier incidents
 */
async function writeFigures(tx: Queryable, records: readonly SummaryRecord[]): Promise<void> {
  const latest = new Map<string, RowOf<typeof figureColumns>>();
  for (const { summary, at } of records) {
    if (summary === null) continue;
    for (const [id, figures] of figuresByIncident(summary)) {
      const { count, cost, wasted = cost, lastAt, eventIndex } = figures;
      latest.set(id, {
        id,
        last_at: lastAt,
        active_at: activityAt(lastAt, at),
        count,
        calls: cost.calls,
        turns: cost.turns,
        tokens: cost.tokens ?? -1,
        usd: cost.usd ?? -1,
        wasted_calls: wasted.calls,
        wasted_tokens: wasted.tokens ?? -1,
        wasted_usd: wasted.usd ?? -1,
        duration: cost.ms,
        event_index: eventIndex,
        figures: jsonText(figures),
      });
    }
  }
  if (latest.size === 0) return;
  await tx.query(
    `update incidents i set change = nextval('changes'),
       active_at = case when i.last_at = r.last_at then i.active_at else greatest(i.active_at, r.active_at) end,
       ${shownFigures.map((name) => `${name} = r.${name}`).join(', ')},
       ${['calls', 'tokens', 'usd'].map(wastedIfLoop).join(', ')},
       event_index = r.event_index, figures = r.figures
     from ${recordset(figureColumns)}
     where i.id = r.id and i.state = 'open' and i.event_index <= r.event_index
       and (i.event_index, ${columnsOf('i')}) is distinct from (r.event_index, ${columnsOf('r')})`,
    [jsonText([...latest.values()])],
  );
  await matchMutes(tx, [...latest.keys()]);
}

/** Stores the current evidence of open incidents. @returns the incidents that are stored; the others may be read later */
async function writeEvidence(tx: Queryable, records: readonly SummaryRecord[]): Promise<ReadonlySet<string>> {
  const current = new Map<string, string>();
  for (const { summary } of records)
    for (const { id, latest } of summary?.openIncidents ?? [])
      if (latest !== undefined) current.set(id, jsonText(latest));
  if (current.size === 0) return new Set();
  const stored = await tx.query<{ id: string }>(
    `update incident_docs d set current = r.current
     from ${recordset({ id: 'text', current: 'text' })} where d.id = r.id returning d.id`,
    [jsonText(Array.from(current, ([id, text]) => ({ id, current: text })))],
  );
  return new Set(stored.map(({ id }) => id));
}

/** Evidence is stored with its incident, once that is stored, and prompts in the table that is searched. */
function docOf(
  { openIncidents, promptText: _, ...rest }: SessionSummary,
  stored: ReadonlySet<string>,
): SessionSummary {
  if (openIncidents === undefined) return rest;
  return {
    ...rest,
    openIncidents: openIncidents.map(({ latest, ...incident }) =>
      latest === undefined || stored.has(incident.id) ? incident : { ...incident, latest },
    ),
  };
}

function columnsOf(table: string): string {
  return shownFigures.map((name) => `${table}.${name}`).join(', ');
}

function wastedIfLoop(amount: string): string {
  return `wasted_${amount} = case when i.kind = 'loop' then r.wasted_${amount} else i.wasted_${amount} end`;
}

function rowOf(id: string, at: number, summary: WholeSession) {
  const { status, agent, model, backend, tenant, tokens, incidents } = summary;
  return {
    id,
    state: status,
    agent,
    model,
    backend,
    tenant,
    agent_version: summary.agentVersion ?? null,
    tags: summary.tags ?? null,
    parent: summary.parentSessionId ?? null,
    started_at: summary.startedAt,
    last_event_at: summary.lastEventAt,
    events: summary.events,
    turns: summary.turns,
    tool_calls: summary.toolCalls,
    characters: summary.characters,
    tokens: tokens === null ? -1 : tokens.input + tokens.output,
    usd: summary.usd ?? -1,
    incidents_open: incidents.open,
    incidents: incidents.total,
    active_at: activityAt(summary.lastEventAt, at),
    updated_at: at,
    title: summary.title ?? null,
  };
}
