import { type Database, jsonText, type Queryable } from '@loopwatch/storage';
import { lockChanges } from '../storage/change-lock.ts';
import { dimensionColumns, HOUR, MINUTE, TAG } from '../storage/sums.ts';
import { wasteSums } from '../storage/waste-sql.ts';

/** Maximum rows that one transaction deletes. */
export const BATCH_ROWS = 500;

/**
 * Deletes the oldest incidents with their verdicts and triage, and adds them to the sums of deleted incidents.
 *
 * @param before deletes only incidents whose sessions were last active before this time, epoch ms; default: of any age
 * @returns how many were deleted
 */
export function removeIncidents(
  database: Database,
  { limit, before = Number.MAX_SAFE_INTEGER }: { limit: number; before?: number },
): Promise<number> {
  return database.transaction(async (tx) => {
    await lockChanges(tx);
    const found = await tx.query<{ id: string }>(
      `select id from incidents where detected_at < $1::float8 and active_at < $1::float8
       order by detected_at, id limit ${String(Math.min(limit, BATCH_ROWS))}`,
      [before],
    );
    if (found.length === 0) return 0;
    await deleteIncidents(
      tx,
      found.map(({ id }) => id),
    );
    return found.length;
  });
}

/** SQL: is one of the texts of the parameter, a JSON array. */
export const among = 'in (select jsonb_array_elements_text($1::jsonb))';

/**
 * Deletes incidents with their verdicts and triage, and adds them to the sums of deleted incidents. The transaction holds the
 * change lock.
 */
export async function deleteIncidents(tx: Queryable, incidentIds: readonly string[]): Promise<void> {
  const ids = jsonText(incidentIds);
  await addToDropped(tx, ids);
  await tx.query(`delete from verdicts where incident_id ${among}`, [ids]);
  await tx.query(`delete from triage where incident_id ${among}`, [ids]);
  await tx.query(`delete from incidents where id ${among}`, [ids]);
}

async function addToDropped(tx: Queryable, ids: string): Promise<void> {
  await tx.query(
    `update deleted_totals set incidents = deleted_totals.incidents + gone.n, since = least(deleted_totals.since, gone.since),
       recovered = deleted_totals.recovered + gone.recovered, ended = deleted_totals.ended + gone.ended,
       disabled = deleted_totals.disabled + gone.disabled, calls = deleted_totals.calls + gone.calls::bigint,
       unpriced = deleted_totals.unpriced + gone.unpriced::bigint,
       tokens = case when gone.tokens is null then deleted_totals.tokens else coalesce(deleted_totals.tokens, 0) + gone.tokens end,
       usd = case when gone.usd is null then deleted_totals.usd else coalesce(deleted_totals.usd, 0) + gone.usd end
     from (select count(*) as n, min(detected_at) as since,
         count(*) filter (where outcome = 'recovered') as recovered, count(*) filter (where outcome = 'ended') as ended,
         count(*) filter (where outcome = 'disabled') as disabled, ${wasteSums()}
       from incidents where id ${among}) as gone`,
    [ids],
  );
}

/** Deletes sessions without activity since a time, the longest inactive first. @returns how many */
export function removeSessions(
  database: Database,
  { limit, before = Number.MAX_SAFE_INTEGER }: { limit: number; before?: number },
): Promise<number> {
  return database.transaction(async (tx) => {
    await lockChanges(tx);
    const removed = await tx.query(
      `delete from sessions where id in (select id from sessions where active_at < $1::float8
         order by active_at, id limit ${String(Math.min(limit, BATCH_ROWS))}) returning 1`,
      [before],
    );
    return removed.length;
  });
}

/** Deletes sums of times before the oldest incident or session, which are zero. */
export function removeEmptySums(database: Database): Promise<void> {
  return database.transaction(async (tx) => {
    await lockChanges(tx);
    const widths = `width in (${String(MINUTE)}, ${String(HOUR)})`;
    const before = (time: string, table: string) =>
      `at < (select coalesce(min(${time}), 'infinity') from ${table})`;
    for (const [table, count] of [
      ['incident_sums', 'found'],
      ['incident_latencies', 'incidents'],
      ['agent_loops', 'loops'],
    ] as const)
      await tx.query(
        `delete from ${table} where ${widths} and ${before('detected_at', 'incidents')} and ${count} = 0`,
      );
    const beforeSessions = before('started_at', 'sessions');
    await tx.query(
      `delete from session_edges where ${widths} and ${beforeSessions} and started = 0 and ended = 0`,
    );
    const edges = `edge in ('first', 'latest')`;
    await tx.query(`delete from session_sums where ${edges} and ${beforeSessions} and sessions = 0`);
    // The dimensions are named, because those and the times behind them are in the index.
    for (const within of [
      `edge = 'loop' and ${before('detected_at', 'incidents')}`,
      `${edges} and ${beforeSessions}`,
    ])
      await tx.query(
        `delete from dimension_sums where dimension = any ($1::text[] || array(select '${TAG}' || key from summed_tags))
           and ${within} and found = 0`,
        [Object.values(dimensionColumns)],
      );
  });
}
