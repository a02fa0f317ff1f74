import { type IncidentRow, type Verdict } from '@loopwatch/contract';
import { jsonText, type Queryable, recordset, upsert } from '@loopwatch/storage';
import { incidentColumns, incidentColumnsOf, plausibleLatency } from './columns.ts';
import { addVerdict, type IncidentFold, toRow } from './fold.ts';

/** A verdict as it was read. */
export interface ReadVerdict {
  readonly verdict: Verdict;
  /** The record's timestamp, epoch ms. */
  readonly arrivedAt: number;
}

export interface VerdictsWritten {
  readonly opened: number;
  readonly changed: number;
  /** Verdicts that were there already. */
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
  detected_at: 'float8',
  latency_ms: 'float8',
} as const;
const verdictDocColumns = { id: 'text', doc: 'jsonb' } as const;

const incidentDocColumns = { id: 'text', row: 'jsonb', fold: 'jsonb' } as const;

/** Stores verdicts, each once, and folds them into their incidents. The transaction holds the lock of changes. */
export async function writeVerdicts(tx: Queryable, read: readonly ReadVerdict[]): Promise<VerdictsWritten> {
  const byId = new Map(read.map((one) => [one.verdict.id, one]));
  const inserted = await tx.query<{ id: string }>(
    `insert into verdicts (${Object.keys(verdictColumns).join(', ')})
     select * from ${recordset(verdictColumns)} on conflict (id) do nothing returning id`,
    [jsonText([...byId.values()].map(verdictRow))],
  );
  const fresh = inserted.flatMap(({ id }) => byId.get(id) ?? []);
  if (fresh.length === 0) return { opened: 0, changed: 0, duplicates: read.length };
  await tx.query(`insert into verdict_docs select * from ${recordset(verdictDocColumns)}`, [
    jsonText(
      fresh.map(({ verdict, arrivedAt }) => ({
        id: verdict.id,
        doc: { ...verdict, detectedAt: verdict.detectedAt ?? arrivedAt },
      })),
    ),
  ]);
  const folds = await foldsOf(tx, new Set(fresh.map(({ verdict }) => verdict.incidentId)));
  const known = new Set(folds.keys());
  const changed = new Map<string, IncidentFold>();
  for (const { verdict, arrivedAt } of fresh) {
    const fold = addVerdict(folds.get(verdict.incidentId), verdict, arrivedAt);
    if (fold === undefined) continue;
    folds.set(verdict.incidentId, fold);
    changed.set(verdict.incidentId, fold);
  }
  await writeIncidents(tx, changed);
  const opened = [...changed.keys()].filter((id) => !known.has(id)).length;
  return { opened, changed: changed.size - opened, duplicates: read.length - fresh.length };
}

function verdictRow({ verdict, arrivedAt }: ReadVerdict) {
  const { id, incidentId, sessionId, detector, phase, model, agent, time } = verdict;
  const detectedAt = verdict.detectedAt ?? arrivedAt;
  return {
    ...{ id, detector, phase, model, agent },
    incident_id: incidentId,
    session_id: sessionId,
    detected_at: detectedAt,
    latency_ms: plausibleLatency(detectedAt, time),
  };
}

async function foldsOf(tx: Queryable, ids: ReadonlySet<string>): Promise<Map<string, IncidentFold>> {
  const found = await tx.query<{ id: string; fold: IncidentFold }>(
    'select id, fold from incident_docs where id in (select jsonb_array_elements_text($1::jsonb))',
    [jsonText([...ids])],
  );
  return new Map(found.map(({ id, fold }) => [id, fold]));
}

async function writeIncidents(tx: Queryable, folds: ReadonlyMap<string, IncidentFold>): Promise<void> {
  if (folds.size === 0) return;
  const decided = await tx.query<{ id: string; status: string; mutedUntil: number | null }>(
    `select incident_id as id, doc->>'status' as status, (doc->>'mutedUntil')::float8 as "mutedUntil"
     from triage where incident_id in (select jsonb_array_elements_text($1::jsonb))`,
    [jsonText([...folds.keys()])],
  );
  const triage = new Map(decided.map((one) => [one.id, one]));
  const rows: { id: string; row: IncidentRow; fold: IncidentFold }[] = [...folds].map(([id, fold]) => ({
    id,
    row: toRow(fold),
    fold,
  }));
  await upsert(
    tx,
    'incidents',
    incidentColumns,
    rows.map(({ id, row, fold }) => incidentColumnsOf(row, fold, triage.get(id))),
    { change: true },
  );
  await upsert(tx, 'incident_docs', incidentDocColumns, rows);
}
