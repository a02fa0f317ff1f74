import { type Incident, incidentAt } from '@loopwatch/contract';
import {
  type IncidentDetail,
  type IncidentItem,
  type Mute,
  noTriage,
  type Triage,
  type TriageChange,
} from '@loopwatch/contract/api';
import { jsonText, type Queryable } from '@loopwatch/storage';
import { inOrder } from '../storage/in-order.ts';
import { isStoppedSql } from '../storage/state-sql.ts';
import { firstStep, toIncident, toRow } from './fold.ts';
import { currentFigures, readFigures, readLatest } from './latest-figures.ts';
import { readFold, readRow, type StoredFold } from './stored-fold.ts';

interface ItemRow {
  readonly id: string;
  readonly group_key: string;
  readonly active_at: number;
  readonly figures: string | null;
  readonly fold: string;
  readonly triage: Triage | null;
  readonly mute: Mute | null;
  readonly sample: boolean;
  readonly stopped: boolean;
  readonly title: string | null;
}

/** Of an incident's session; the title is `null` if it is unknown or not stored yet. */
const sessionSelect = `(select title from sessions where id = i.session_id) as title,
  ${isStoppedSql('i.session_id')} as stopped`;

const itemSelect = `select i.id, ${sessionSelect}, i.group_key, i.active_at, i.figures, d.fold, t.doc as triage, m.doc as mute,
    exists (select 1 from sample_sessions s where s.id = i.session_id) as sample
  from incidents i join incident_docs d on d.id = i.id left join triage t on t.incident_id = i.id
  left join mutes m on m.id = i.mute_id`;

/** The incidents with these ids, in the same order; unknown ids are skipped. */
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
  const items = rows.map((row) => [row.id, toItem(row, now)] as const);
  return inOrder(ids, items);
}

/** One incident with all details. */
export async function incidentDetail(
  database: Queryable,
  id: string,
  now: number,
): Promise<IncidentDetail | undefined> {
  const [found] = await database.query<
    StoredFold & {
      readonly group_key: string;
      readonly active_at: number;
      readonly figures: string | null;
      readonly current: string | null;
      readonly triage: Triage | null;
      readonly mute: Mute | null;
      readonly history: TriageChange[] | null;
      readonly title: string | null;
      readonly stopped: boolean;
    }
  >(
    `select i.group_key, i.active_at, i.figures, d.fold, d.evidence, d.current, t.doc as triage, t.history,
       m.doc as mute, ${sessionSelect}
     from incidents i join incident_docs d on d.id = i.id left join triage t on t.incident_id = i.id
     left join mutes m on m.id = i.mute_id where i.id = $1`,
    [id],
  );
  if (found === undefined) return undefined;
  const fold = readFold(found);
  const latest = currentFigures(fold.latest, readLatest(found.current));
  const incident: Incident = {
    ...toIncident(fold, readFigures(found.figures), latest?.evidence),
    lastActivityAt: found.active_at,
  };
  return {
    ...incidentAt(incident, now),
    groupKey: found.group_key,
    ...effectiveTriage(found, now),
    triageHistory: found.history ?? [],
    ...(found.title !== null && { sessionTitle: found.title }),
    ...(found.stopped && { sessionStopped: found.stopped }),
    firstEventIndex: firstStep(fold).eventIndex,
    lastEventIndex: latest?.eventIndex ?? fold.latest.eventIndex,
  };
}

interface Decisions {
  readonly triage: Triage | null;
  readonly mute: Mute | null;
}

/** The triage of the incident itself, else of a mute by cause that matches it; `triageSql` is the same in SQL. */
function effectiveTriage({ triage, mute }: Decisions, now: number): Pick<IncidentItem, 'triage' | 'mute'> {
  const isActive = (until: number | null): boolean => until === null || until > now;
  const own = triage ?? noTriage;
  const isNew = own.status === 'new' || (own.status === 'muted' && !isActive(own.mutedUntil));
  if (!isNew) return { triage: own };
  if (mute === null || !isActive(mute.until)) return { triage: { ...own, status: 'new', mutedUntil: null } };
  return { triage: { ...own, status: 'muted', mutedUntil: mute.until }, mute };
}

function toItem(
  {
    fold,
    group_key: groupKey,
    active_at: lastActivityAt,
    figures,
    sample,
    title,
    stopped,
    ...decisions
  }: ItemRow,
  now: number,
): IncidentItem {
  const row = incidentAt({ ...toRow(readRow(fold), readFigures(figures)), lastActivityAt }, now);
  return {
    ...row,
    groupKey,
    ...effectiveTriage(decisions, now),
    ...(sample && { sample }),
    ...(title !== null && { sessionTitle: title }),
    ...(stopped && { sessionStopped: stopped }),
  };
}
