import { happenedAt, type Verdict } from '@loopwatch/contract';
import { jsonText, linesOf, type Queryable, recordset, upsert } from '@loopwatch/storage';
import { matchMutes } from '../triage/match-mutes.ts';
import { type IncidentContext, incidentColumns, incidentColumnsOf, latencyWithinBounds } from './columns.ts';
import { addVerdict, type IncidentFold } from './fold.ts';
import {
  figuresByIncident,
  type IncidentFigures,
  partAt,
  readFigures,
  type SummaryFigures,
} from './latest-figures.ts';
import { readFold, storeFold } from './stored-fold.ts';

/** A verdict as read from the topic. */
export interface ReadVerdict {
  readonly verdict: Verdict;
  /** The record's timestamp, epoch ms. */
  readonly arrivedAt: number;
}

export interface VerdictsWritten {
  readonly opened: number;
  readonly changed: number;
  /** Verdicts that were stored before. */
  readonly duplicates: number;
}

const verdictColumns = {
  id: 'text',
  incident_id: 'text',
  session_id: 'text',
  detector: 'text',
  phase: 'text',
  model: 'text',
  agent: 'text',
  happened_at: 'float8',
  detected_at: 'float8',
  latency_ms: 'float8',
} as const;
const incidentDocColumns = { id: 'text', fold: 'text', evidence: 'text', current: 'text' } as const;
const incidentDocLines = { fold: '$3', evidence: '$4', current: '$5' };
/** The current evidence, unless it came with these verdicts. */
const keepingCurrent = { current: 'coalesce(excluded.current, incident_docs.current)' };

/** Skips duplicates. @returns the ids of new verdicts */
const insertVerdicts = `with read as materialized (select * from ${recordset({ ...verdictColumns, doc: 'text' }, '$1', { doc: '$2' })}),
     fresh as (
       insert into verdicts (${Object.keys(verdictColumns).join(', ')})
       select ${Object.keys(verdictColumns).join(', ')} from read on conflict (id) do nothing returning id
     )
   insert into verdict_docs (id, doc) select id, doc from read join fresh using (id) returning id`;

/** One statement saves a round trip. */
const writeIncidents = `with docs as (${upsert('incident_docs', incidentDocColumns, { parameter: '$2', lines: incidentDocLines, replacing: keepingCurrent })})
   ${upsert('incidents', incidentColumns, { change: true })}`;

/** Stores verdicts, each once, and folds them into their incidents. The transaction holds the change lock. */
export async function writeVerdicts(tx: Queryable, read: readonly ReadVerdict[]): Promise<VerdictsWritten> {
  const byId = new Map(read.map((one) => [one.verdict.id, one]));
  const inserted = await tx.query<{ id: string }>(insertVerdicts, [
    jsonText([...byId.values()].map(verdictRow)),
    linesOf([...byId.values()].map(verdictDoc)),
  ]);
  const fresh = inserted.flatMap(({ id }) => byId.get(id) ?? []);
  if (fresh.length === 0) return { opened: 0, changed: 0, duplicates: read.length };
  const known = await readKnown(tx, fresh);
  const changed = new Map<string, IncidentFold>();
  for (const { verdict, arrivedAt } of fresh) {
    const id = verdict.incidentId;
    const fold = addVerdict(changed.get(id) ?? known.get(id)?.fold, verdict, arrivedAt);
    if (fold !== undefined) changed.set(id, fold);
  }
  if (changed.size > 0) {
    const folds = [...changed];
    const docs = folds.map(([, fold]) => storeFold(fold));
    await tx.query(writeIncidents, [
      jsonText(folds.map(([id, fold]) => incidentColumnsOf(fold, known.get(id)))),
      jsonText(folds.map(([id]) => ({ id }))),
      linesOf(docs.map(({ fold }) => fold)),
      linesOf(docs.map(({ evidence }) => evidence)),
      linesOf(folds.map(([id]) => known.get(id)?.current ?? null)),
    ]);
    await matchMutes(tx, [...changed.keys()]);
  }
  const opened = [...changed.keys()].filter((id) => known.get(id)?.fold === undefined).length;
  return { opened, changed: changed.size - opened, duplicates: read.length - fresh.length };
}

function verdictRow({ verdict, arrivedAt }: ReadVerdict) {
  const { id, incidentId, sessionId, detector, phase, model, agent, time } = verdict;
  const detectedAt = verdict.detectedAt ?? arrivedAt;
  return {
    id,
    detector,
    phase,
    model,
    agent,
    incident_id: incidentId,
    session_id: sessionId,
    happened_at: happenedAt(time, detectedAt),
    detected_at: detectedAt,
    latency_ms: latencyWithinBounds(detectedAt, time),
  };
}

function verdictDoc({ verdict, arrivedAt }: ReadVerdict): string {
  return jsonText({ ...verdict, detectedAt: verdict.detectedAt ?? arrivedAt });
}

interface KnownIncident extends IncidentContext {
  readonly fold: IncidentFold | undefined;
  /** The evidence of a summary that was read before its incident: JSON. */
  readonly current: string | undefined;
}

/** What is stored about these incidents and their sessions. */
async function readKnown(tx: Queryable, fresh: readonly ReadVerdict[]): Promise<Map<string, KnownIncident>> {
  const verdicts = new Map(fresh.map(({ verdict }) => [verdict.incidentId, verdict]));
  const rows = await tx.query<{
    id: string;
    fold: string | null;
    evidence: string | null;
    status: string | null;
    mutedUntil: number | null;
    assignee: string | null;
    activeAt: number | null;
    figures: string | null;
    sessionActiveAt: number | null;
    parts: readonly SummaryFigures[];
  }>(
    `select r.id, d.fold, d.evidence, t.doc->>'status' as status, (t.doc->>'mutedUntil')::float8 as "mutedUntil", t.doc->>'assignee' as assignee,
       i.active_at as "activeAt", i.figures, s.active_at as "sessionActiveAt",
       case when sd.id is null then '[]' else coalesce(sd.parts, jsonb_build_array(sd.doc)) end as parts
     from ${recordset({ id: 'text', session: 'text' })}
     left join incidents i on i.id = r.id left join incident_docs d on d.id = r.id
     left join sessions s on s.id = r.session left join session_docs sd on sd.id = s.id
     left join triage t on t.incident_id = r.id`,
    [jsonText(Array.from(verdicts, ([id, { sessionId }]) => ({ id, session: sessionId })))],
  );
  return new Map(
    rows.map(({ id, fold, evidence, status, mutedUntil, assignee, figures, parts, ...active }) => {
      // An earlier part has ended: what the session does now is no activity of its incidents.
      const part = partAt(parts, verdicts.get(id)?.source?.offset);
      const latest = part?.openIncidents?.find((one) => one.id === id)?.latest;
      const endedAt = part === parts.at(-1) ? Infinity : (part?.lastEventAt ?? 0);
      return [
        id,
        {
          fold: fold === null || evidence === null ? undefined : readFold({ fold, evidence }),
          triage: status === null ? undefined : { status, mutedUntil, assignee },
          activeAt: Math.max(active.activeAt ?? 0, Math.min(active.sessionActiveAt ?? 0, endedAt)),
          figures: newer(readFigures(figures), part && figuresByIncident(part).get(id)),
          current: latest && jsonText(latest),
        },
      ];
    }),
  );
}

/** The stored figures unless the session's are newer: they also say the reason. */
function newer(
  stored: IncidentFigures | undefined,
  ofSession: IncidentFigures | undefined,
): IncidentFigures | undefined {
  if (stored === undefined || ofSession === undefined) return stored ?? ofSession;
  return ofSession.eventIndex > stored.eventIndex ? ofSession : stored;
}
