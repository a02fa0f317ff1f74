import {
  type BudgetResource,
  type BudgetScope,
  type SessionSummary,
  storableText,
} from '@loopwatch/contract';
import type { BudgetUse } from '@loopwatch/detectors/internal';
import { jsonText, type Queryable, upsert } from '@loopwatch/storage';
import { isSameHistory, partKey, type StoredSession } from '../sessions/session-parts.ts';

/** The scopes of a shared budget. */
export type SharedScope = Exclude<BudgetScope, 'session'>;

/** The usage of one day, and what was reported about it. */
export interface SharedUse {
  readonly id: string;
  readonly per: SharedScope;
  /** The agent, the tenant, or the day itself. */
  readonly subject: string;
  /** YYYY-MM-DD, UTC. */
  readonly day: string;
  readonly used: Readonly<Record<BudgetResource, number>>;
  readonly sessionId: string;
  /** What was reported: 0: nothing; 1: nearly exceeded; 2: exceeded. */
  readonly reportedLevel: number;
  readonly reportedUses: readonly BudgetUse[];
  /** Incidents so far. */
  readonly incidents: number;
  /** Sessions that the budget has stopped. */
  readonly stoppedSessions: readonly string[];
}

type Total = Pick<SessionSummary, 'events' | 'tokens' | 'usd' | 'toolCalls' | 'startedAt' | 'lastEventAt'>;

const columns = {
  id: 'text',
  per: 'text',
  subject: 'text',
  day: 'text',
  tokens: 'float8',
  usd: 'float8',
  calls: 'float8',
  minutes: 'float8',
  session_id: 'text',
} as const;
const add = (name: string) => `budget_uses.${name} + excluded.${name}`;
const adding = {
  tokens: add('tokens'),
  usd: add('usd'),
  calls: add('calls'),
  minutes: add('minutes'),
  // An incident stays with the session that opened it.
  session_id:
    'case when budget_uses.reported_level = 0 then excluded.session_id else budget_uses.session_id end',
};

/** The day of a time, UTC. @param time epoch ms */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/**
 * Adds the usage of sessions since their last summaries, on the day of the latest event. Runs before the summaries are stored,
 * in the same transaction, so that nothing is counted twice.
 */
export async function addUse(
  tx: Queryable,
  per: SharedScope,
  summaries: readonly SessionSummary[],
): Promise<void> {
  const known = await tx.query<StoredSession & { readonly id: string }>(
    'select id, doc, parts from session_docs where id in (select jsonb_array_elements_text($1::jsonb))',
    [jsonText(summaries.map(({ sessionId }) => sessionId))],
  );
  // A session counts from zero again after a long pause, so each of its parts has a total of its own.
  const before = new Map<string, Map<string, Total>>(
    known.map(({ id, doc, parts }) => [
      id,
      new Map((parts ?? [doc]).map((part) => [partKey(part.source), part])),
    ]),
  );
  const rows = new Map<string, ReturnType<typeof rowOf>>();
  for (const summary of summaries) {
    const id = storableText(summary.sessionId);
    const parts = before.get(id) ?? new Map<string, Total>();
    const row = rowOf(per, summary, usedBefore(parts, summary));
    before.set(id, parts.set(partKey(summary.source), summary));
    if (row === undefined) continue;
    const { tokens = 0, usd = 0, calls = 0, minutes = 0 } = rows.get(row.id) ?? {};
    rows.set(row.id, {
      ...row,
      tokens: row.tokens + tokens,
      usd: row.usd + usd,
      calls: row.calls + calls,
      minutes: row.minutes + minutes,
    });
  }
  if (rows.size === 0) return;
  await tx.query(upsert('budget_uses', columns, { replacing: adding }), [jsonText([...rows.values()])]);
}

/** What a part has used before, even if it was analyzed under other offsets because it was sent again. */
function usedBefore(parts: ReadonlyMap<string, Total>, summary: SessionSummary): SharedUse['used'] {
  const key = partKey(summary.source);
  const same = [...parts].filter(([other, part]) => other === key || isSameHistory(part, summary));
  const used = same.map(([, part]) => totals(part));
  const most = (resource: BudgetResource) => Math.max(0, ...used.map((one) => one[resource]));
  return { tokens: most('tokens'), usd: most('usd'), calls: most('calls'), minutes: most('minutes') };
}

function rowOf(per: SharedScope, summary: SessionSummary, since: SharedUse['used']) {
  const day = dayOf(summary.lastEventAt);
  const subject = per === 'day' ? day : summary[per];
  if (subject === null) return undefined;
  const now = totals(summary);
  return {
    id: JSON.stringify([per, subject, day]),
    per,
    subject,
    day,
    tokens: Math.max(0, now.tokens - since.tokens),
    usd: Math.max(0, now.usd - since.usd),
    calls: Math.max(0, now.calls - since.calls),
    minutes: Math.max(0, now.minutes - since.minutes),
    session_id: summary.sessionId,
  };
}

/** What a session, or a part of it, has used. */
export function totals({
  tokens,
  usd,
  toolCalls,
  startedAt,
  lastEventAt,
}: Total): Record<BudgetResource, number> {
  return {
    tokens: tokens === null ? 0 : tokens.input + tokens.output,
    usd: usd ?? 0,
    calls: toolCalls,
    minutes: (lastEventAt - startedAt) / 60_000,
  };
}

type Row = Pick<SharedUse, 'id' | 'per' | 'subject' | 'day' | 'incidents'> &
  SharedUse['used'] & {
    readonly session_id: string;
    readonly reported_level: number;
    readonly reported_uses: SharedUse['reportedUses'];
    readonly stopped_sessions: SharedUse['stoppedSessions'];
  };

/** The usage of a scope on a day, and every budget with an open incident. */
export async function readUses(
  database: Queryable,
  per: SharedScope | null,
  day: string,
): Promise<SharedUse[]> {
  const rows = await database.query<Row>(
    'select * from budget_uses where reported_level > 0 or (per = $1 and day = $2) order by id',
    [per ?? '', day],
  );
  return rows.map(({ id, per, subject, day, incidents, ...row }) => ({
    id,
    per,
    subject,
    day,
    incidents,
    used: { tokens: row.tokens, usd: row.usd, calls: row.calls, minutes: row.minutes },
    sessionId: row.session_id,
    reportedLevel: row.reported_level,
    reportedUses: row.reported_uses,
    stoppedSessions: row.stopped_sessions,
  }));
}

/** Saves what was reported, and which sessions were stopped. */
export async function saveReported(
  database: Queryable,
  { id, reportedLevel, reportedUses, incidents, stoppedSessions }: SharedUse,
): Promise<void> {
  await database.query(
    'update budget_uses set reported_level = $2, reported_uses = $3::jsonb, incidents = $4, stopped_sessions = $5::jsonb where id = $1',
    [id, reportedLevel, jsonText(reportedUses), incidents, jsonText(stoppedSessions)],
  );
}

/** Deletes the usage before this day, except for budgets with an open incident. */
export async function removeUsesBefore(database: Queryable, day: string): Promise<void> {
  await database.query('delete from budget_uses where day < $1 and reported_level = 0', [day]);
}
