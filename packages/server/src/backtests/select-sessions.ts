import type { SessionSummary } from '@loopwatch/contract';
import type { BacktestRequest, SessionState } from '@loopwatch/contract/api';
import { jsonText, type Queryable } from '@loopwatch/storage';
import { Conditions } from '../storage/conditions.ts';
import type { RecordedSession } from './recorded-sessions.ts';

/** The label of a session by the triage of its incidents. */
export type Label = 'loop' | 'not_loop';

export interface SelectedSession extends RecordedSession {
  readonly label: Label | null;
}

/** Selects the sessions of a backtest, the most recently active first. */
export async function selectSessions(
  database: Queryable,
  { ids, incidentIds, labelled, from, to, limit }: BacktestRequest['sessions'],
): Promise<SelectedSession[]> {
  const conditions = new Conditions();
  const either: string[] = [];
  const amongJson = (values: readonly string[]): string =>
    `(select jsonb_array_elements_text(${conditions.parameter(jsonText(values))}::jsonb))`;
  if (ids !== undefined) either.push(`id in ${amongJson(ids)}`);
  if (incidentIds !== undefined) {
    either.push(`id in (select session_id from incidents where id in ${amongJson(incidentIds)})`);
  }
  if (labelled === true) either.push(`id in (select session_id from incidents where ${isLabelled})`);
  if (from !== undefined || to !== undefined) {
    const since = conditions.parameter(from ?? 0);
    const until = conditions.parameter(to ?? Number.MAX_SAFE_INTEGER);
    either.push(`(last_event_at >= ${since}::float8 and last_event_at < ${until}::float8)`);
  }
  if (either.length === 0) return [];
  conditions.add(`(${either.join(' or ')})`);
  const rows = await database.query<{ id: string; state: SessionState; source: SessionSummary['source'] }>(
    `select id, state, doc->'source' as source
     from (select id, state, last_event_at from sessions ${conditions.where} order by last_event_at desc, id desc limit ${String(limit)}) as s
     join session_docs using (id) order by last_event_at desc, id desc`,
    conditions.parameters,
  );
  const labels = await labelsOf(
    database,
    rows.map(({ id }) => id),
  );
  return rows.map(({ id, state, source }) => ({
    sessionId: id,
    topic: source.topic,
    partition: source.partition,
    first: Number(source.firstOffset),
    last: Number(source.lastOffset),
    live: state === 'live',
    label: labels.get(id) ?? null,
  }));
}

const isLabelled = `triage in ('acknowledged', 'false_positive')`;

/** One acknowledged incident makes a session a loop, whatever else was a false positive in it. */
async function labelsOf(database: Queryable, ids: readonly string[]): Promise<Map<string, Label>> {
  const rows = await database.query<{ id: string; loop: boolean }>(
    `select session_id as id, bool_or(triage = 'acknowledged') as loop from incidents
     where ${isLabelled} and session_id in (select jsonb_array_elements_text($1::jsonb)) group by session_id`,
    [jsonText(ids)],
  );
  return new Map(rows.map(({ id, loop }) => [id, loop ? 'loop' : 'not_loop']));
}
