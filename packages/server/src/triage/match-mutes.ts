import { jsonText, type Queryable } from '@loopwatch/storage';
import { rankedActions } from '../incidents/columns.ts';

/** How much worse than the worst known incident one may be before the mute no longer holds for it. */
export const ESCALATION_FACTOR = 2;

/** The cause's columns of `mutes`, and the column of `incidents` each is held against. */
export const causeColumns = {
  detector: 'detector',
  tool: 'tool',
  group: 'group_key',
  agent: 'agent',
  model: 'model',
  tenant: 'tenant',
} as const;

/** Rank of the action of the incident `i` in SQL, from 1. */
export const actionRank = `array_position(array[${rankedActions.map((action) => `'${action}'`).join(', ')}], i.action)`;

/** Condition in SQL: the incident `i` has the cause of the mute `m`. */
export const fitsCause = Object.values(causeColumns)
  .map((column) => `(m.${column} is null or m.${column} = i.${column})`)
  .join(' and ');

const withinLimits = `(m.most_action is null or ${actionRank} <= m.most_action)
  and (m.most_count is null or i.count <= m.most_count) and (m.most_tokens is null or i.tokens <= m.most_tokens)`;

/**
 * Finds the mute of each of some incidents, of those that hold the one that ends last. The transaction holds the lock of
 * changes.
 *
 * @param among condition in SQL on the incident `i`
 */
async function matchAmong(tx: Queryable, among: string, parameters: readonly unknown[]): Promise<void> {
  await tx.query(
    `update incidents set mute_id = found.mute_id, mute_until = found.until, change = nextval('changes')
     from (select i.id, m.id as mute_id, m.until from incidents i
       left join lateral (
         select m.id, m.until from mutes m where not m.removed and ${fitsCause} and ${withinLimits}
         order by m.until desc nulls first, m.at, m.id limit 1
       ) as m on true
       where ${among}) as found
     where incidents.id = found.id
       and (incidents.mute_id is distinct from found.mute_id or incidents.mute_until is distinct from found.until)`,
    [...parameters],
  );
}

/** After incidents were written. */
export async function matchMutes(tx: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await matchAmong(
    tx,
    'i.id in (select jsonb_array_elements_text($1::jsonb)) and exists (select 1 from mutes)',
    [jsonText(ids)],
  );
}

/** After a mute was written or removed. */
export async function rematchMute(tx: Queryable, id: string): Promise<void> {
  await matchAmong(
    tx,
    `i.mute_id = $1 or exists (select 1 from mutes m where m.id = $1 and not m.removed and ${fitsCause})`,
    [id],
  );
}
