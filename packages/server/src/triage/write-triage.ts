import type { TriagePatch, TriageRecord } from '@loopwatch/contract/api';
import { jsonText, type Queryable, recordset } from '@loopwatch/storage';
import { applyPatch, type TriageWithHistory, withoutComment } from './apply-patch.ts';

const columns = {
  incident_id: 'text',
  revision: 'integer',
  published: 'integer',
  at: 'float8',
  doc: 'jsonb',
  history: 'jsonb',
} as const;

/**
 * Applies a patch to several incidents. The transaction holds the change lock.
 *
 * @returns the ids of unknown incidents
 * @throws HttpProblem as {@link applyPatch}
 */
export async function changeTriage(
  tx: Queryable,
  ids: readonly string[],
  patch: TriagePatch,
  who: { readonly by: string; readonly at: number },
): Promise<string[]> {
  const found = await readTriage(tx, ids);
  const changed = [...found].flatMap(([id, before]) => {
    const after = applyPatch(before, patch, who);
    return after === undefined ? [] : [{ incidentId: id, ...after }];
  });
  await write(tx, changed, false);
  return ids.filter((id) => !found.has(id));
}

/**
 * Deletes a comment. The transaction holds the change lock.
 *
 * @throws HttpProblem as {@link withoutComment}
 */
export async function deleteComment(
  tx: Queryable,
  id: string,
  revision: string,
  who: { readonly by: string; readonly at: number },
): Promise<void> {
  const before = (await readTriage(tx, [id])).get(id);
  await write(tx, [{ incidentId: id, ...withoutComment(before, revision, who) }], false);
}

/** @returns the triage of each known incident */
async function readTriage(
  tx: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, TriageWithHistory | undefined>> {
  const found = await tx.query<{
    id: string;
    triage: TriageWithHistory['triage'] | null;
    history: TriageWithHistory['history'] | null;
  }>(
    `select i.id, t.doc as triage, t.history from incidents i left join triage t on t.incident_id = i.id
     where i.id in (select jsonb_array_elements_text($1::jsonb))`,
    [jsonText(ids)],
  );
  return new Map(
    found.map(({ id, triage, history }) => [
      id,
      triage === null ? undefined : { triage, history: history ?? [] },
    ]),
  );
}

/** Stores records of the `triage` topic, unless a newer revision is stored. The transaction holds the change lock. */
export function storeTriage(tx: Queryable, records: readonly TriageRecord[]): Promise<void> {
  const latest = new Map<string, TriageRecord>();
  for (const record of records) {
    const known = latest.get(record.incidentId);
    if (known === undefined || known.triage.revision <= record.triage.revision)
      latest.set(record.incidentId, record);
  }
  return write(tx, [...latest.values()], true);
}

async function write(
  tx: Queryable,
  decided: readonly (TriageWithHistory & { readonly incidentId: string })[],
  published: boolean,
): Promise<void> {
  if (decided.length === 0) return;
  const rows = decided.map(({ incidentId, triage, history }) => ({
    incident_id: incidentId,
    revision: triage.revision,
    published: published ? triage.revision : 0,
    at: triage.at ?? 0,
    doc: triage,
    history,
  }));
  const written = await tx.query<{ id: string }>(
    `insert into triage (${Object.keys(columns).join(', ')}) select * from ${recordset(columns)}
     on conflict (incident_id) do update set revision = excluded.revision, at = excluded.at, doc = excluded.doc,
       history = excluded.history, published = greatest(triage.published, excluded.published)
     where excluded.revision > triage.revision
     returning incident_id as id`,
    [jsonText(rows)],
  );
  await tx.query(
    `update incidents set triage = t.doc->>'status', muted_until = (t.doc->>'mutedUntil')::float8,
       assignee = t.doc->>'assignee',
       change = nextval('changes')
     from triage t where t.incident_id = incidents.id and incidents.id in (select jsonb_array_elements_text($1::jsonb))`,
    [jsonText(written.map(({ id }) => id))],
  );
}
