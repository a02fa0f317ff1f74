import { type Incident, incidentAt } from '@loopwatch/contract';
import {
  type IncidentDetail,
  type IncidentItem,
  noTriage,
  type Triage,
  type TriageChange,
} from '@loopwatch/contract/api';
import { jsonText, type Queryable } from '@loopwatch/storage';
import { firstStep, toIncident, toRow } from './fold.ts';
import { readStanding } from './standing.ts';
import { readFold, readRow, type StoredFold } from './stored-fold.ts';

interface ItemRow {
  readonly id: string;
  readonly group_key: string;
  readonly active_at: number;
  readonly standing: string | null;
  readonly fold: string;
  readonly triage: Triage | null;
  readonly sample: boolean;
}

const itemSelect = `select i.id, i.group_key, i.active_at, i.standing, d.fold, t.doc as triage,
    exists (select 1 from sample_sessions s where s.id = i.session_id) as sample
  from incidents i join incident_docs d on d.id = i.id left join triage t on t.incident_id = i.id`;

/** The incidents of these ids, in their order; what is not there is left out. */
export async function incidentItems(
  database: Queryable,
  ids: readonly string[],
  now: number,
): Promise<IncidentItem[]> {
  if (ids.length === 0) return [];
  const rows = await database.query<ItemRow>(
    `${itemSelect} where i.id in (select jsonb_array_elements_text($1::jsonb))`,
    [jsonText(ids)],
  );
  const byId = new Map(rows.map((row) => [row.id, toItem(row, now)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** One incident with everything there is to know. */
export async function incidentDetail(
  database: Queryable,
  id: string,
  now: number,
): Promise<IncidentDetail | undefined> {
  const [found] = await database.query<
    StoredFold & {
      readonly group_key: string;
      readonly active_at: number;
      readonly standing: string | null;
      readonly triage: Triage | null;
      readonly history: TriageChange[] | null;
    }
  >(
    `select i.group_key, i.active_at, i.standing, d.fold, d.evidence, t.doc as triage, t.history
     from incidents i join incident_docs d on d.id = i.id left join triage t on t.incident_id = i.id where i.id = $1`,
    [id],
  );
  if (found === undefined) return undefined;
  const fold = readFold(found);
  const incident: Incident = {
    ...toIncident(fold, readStanding(found.standing)),
    lastActivityAt: found.active_at,
  };
  return {
    ...incidentAt(incident, now),
    groupKey: found.group_key,
    triage: asItCounts(found.triage, now),
    triageHistory: found.history ?? [],
    firstEventIndex: firstStep(fold).eventIndex,
    lastEventIndex: fold.latest.eventIndex,
  };
}

/** A muted incident whose time is over is new again. */
export function asItCounts(triage: Triage | null, now: number): Triage {
  if (triage === null) return noTriage;
  const { status, mutedUntil } = triage;
  const isOver = status === 'muted' && mutedUntil !== null && mutedUntil <= now;
  return isOver ? { ...triage, status: 'new', mutedUntil: null } : triage;
}

function toItem(
  { fold, group_key: groupKey, active_at: lastActivityAt, standing, triage, sample }: ItemRow,
  now: number,
): IncidentItem {
  const row = incidentAt({ ...toRow(readRow(fold), readStanding(standing)), lastActivityAt }, now);
  return { ...row, groupKey, triage: asItCounts(triage, now), ...(sample && { sample }) };
}
