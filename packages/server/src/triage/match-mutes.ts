import { jsonText, type Queryable } from '@loopwatch/storage';
import { rankedActions } from '../incidents/columns.ts';

/** How much worse than the worst known incident another one may be before a mute until escalation no longer matches it. */
export const ESCALATION_FACTOR = 2;

/** The fields of a mute's cause, and the columns of `mutes` and `incidents` that they are compared by. */
export const causeColumns = {
  detector: 'detector',
  tool: 'tool',
  group: 'group_key',
  agent: 'agent',
  model: 'model',
  tenant: 'tenant',
} as const;

/** SQL: the rank of the action of the incident `i`, from 1. */
export const actionRank = `array_position(array[${rankedActions.map((action) => `'${action}'`).join(', ')}], i.action)`;

/** SQL condition: the incident `i` has the cause of the mute `m`. */
export const matchesCause = Object.values(causeColumns)
  .map((column) => `(m.${column} is null or m.${column} = i.${column})`)
  .join(' and ');

const withinLimits = `(m.max_action is null or ${actionRank} <= m.max_action)
  and (m.max_count is null or i.count <= m.max_count) and (m.max_tokens is null or i.tokens <= m.max_tokens)`;

/**
 * Assigns the matching mute to incidents; of several, the one that expires last. The transaction holds the change lock.
 *
 * @param among SQL condition on the incident `i`
 */
async function matchAmong(tx: Queryable, among: string, parameters: readonly unknown[]): Promise<void> {
  await tx.query(
    `update incidents set mute_id = found.mute_id, mute_until = found.until, change = nextval('changes')
     from (select i.id, m.id as mute_id, m.until from incidents i
       left join lateral (
         select m.id, m.until from mutes m where not m.removed and ${matchesCause} and ${withinLimits}
         order by m.until desc nulls first, m.at, m.id limit 1
       ) as m on true
       where ${among}) as found
     where incidents.id = found.id
       and (incidents.mute_id is distinct from found.mute_id or incidents.mute_until is distinct from found.until)`,
    [...parameters],
  );
}

/** Call after incidents were written. */
export async function matchMutes(tx: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  // Most servers have no mutes, and planning the statement takes longer than this question.
  const [mute] = await tx.query('select 1 from mutes limit 1');
  if (mute === undefined) return;
  await matchAmong(tx, 'i.id in (select jsonb_array_elements_text($1::jsonb))', [jsonText(ids)]);
}

/** Call after a mute was written or removed. */
export async function rematchMute(tx: Queryable, id: string): Promise<void> {
  await matchAmong(
    tx,
    `i.mute_id = $1 or exists (select 1 from mutes m where m.id = $1 and not m.removed and ${matchesCause})`,
    [id],
  );
}
