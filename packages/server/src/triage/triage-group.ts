import type { GroupTriageResult, Triage, TriageMany, TriagePatch } from '@loopwatch/contract/api';
import { noTriage, undoPatch } from '@loopwatch/contract/api';
import type { Queryable } from '@loopwatch/storage';
import { changeTriage } from './write-triage.ts';

const MAX_IDS = 500;

/**
 * Applies a patch to every incident of a group. The transaction holds the change lock.
 *
 * @returns undefined for an unknown group
 */
export async function triageGroup(
  tx: Queryable,
  key: string,
  patch: TriagePatch,
  who: { readonly by: string; readonly at: number },
): Promise<GroupTriageResult | undefined> {
  const before = await tx.query<{ id: string; triage: Triage | null }>(
    `select i.id, t.doc as triage from incidents i left join triage t on t.incident_id = i.id
     where i.group_key = $1 order by i.id`,
    [key],
  );
  if (before.length === 0) return undefined;
  await changeTriage(
    tx,
    before.map(({ id }) => id),
    patch,
    who,
  );
  return { incidents: before.length, undo: undoOf(before, patch) };
}

/** The patches that undo a change, each for all incidents with the same previous triage. */
function undoOf(
  before: readonly { readonly id: string; readonly triage: Triage | null }[],
  patch: TriagePatch,
): TriageMany[] {
  const idsByPatch = new Map<string, string[]>();
  for (const { id, triage } of before) {
    const undo = undoPatch(triage ?? noTriage, patch);
    if (Object.keys(undo).length === 0) continue;
    const change = JSON.stringify(undo);
    const ids = idsByPatch.get(change);
    if (ids === undefined) idsByPatch.set(change, [id]);
    else ids.push(id);
  }
  return [...idsByPatch].flatMap(([change, ids]) => {
    return Array.from({ length: Math.ceil(ids.length / MAX_IDS) }, (_, at) => ({
      ids: ids.slice(at * MAX_IDS, (at + 1) * MAX_IDS),
      change: JSON.parse(change) as TriagePatch,
    }));
  });
}
