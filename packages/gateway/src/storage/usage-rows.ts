import type { ModelUsage, PastUsage } from '@loopwatch/detectors/internal';
import type { Queryable } from '@loopwatch/storage';

export interface UsageQuery {
  readonly sessionId: string;
  /** A longer pause begins a new session. */
  readonly idleMs: number;
  readonly now: number;
  /** Id of a call that the session must have made; undefined if its id alone identifies it. */
  readonly callId?: string | undefined;
}

/**
 * Only what a model has replied counts: calls of a history that the gateway was shown have no finish reason.
 *
 * @returns undefined if no message is stored, or the last one is too old
 */
export async function usageOf(
  database: Queryable,
  { sessionId, idleMs, now, callId }: UsageQuery,
): Promise<PastUsage | undefined> {
  const rows = await database.query<
    Omit<ModelUsage, 'model'> & { model: string | null; first: number; last: number; is_own: boolean }
  >(
    `with said as (
       select number, at, role, doc, at - lag(at) over (order by number) > $2 as begins
       from messages where session_id = $1
     ), own as (
       select * from said where number >= coalesce((select max(number) from said where begins), 0)
     )
     select doc->>'model' as model, min(at) as first, max(at) as last,
       bool_or(doc->'calls' @> jsonb_build_array(jsonb_build_object('id', $3::text))) as is_own,
       ${sums.map(([name, value]) => `coalesce(sum(${value}), 0)::float8 as "${name}"`).join(', ')}
     from own group by 1`,
    [sessionId, idleMs, callId ?? ''],
  );
  const last = Math.max(...rows.map((row) => row.last));
  const isOwn = callId === undefined || rows.some((row) => row.is_own);
  if (rows.length === 0 || now - last > idleMs || !isOwn) return undefined;
  return { beganAt: Math.min(...rows.map(({ first }) => first)), models: rows };
}

const reply = "doc->'finishReason' is not null";
const counts = [
  'inputTokens',
  'outputTokens',
  'cachedInputTokens',
  'cacheWriteTokens',
  'hourCacheWriteTokens',
] as const;
const sums: readonly (readonly [Exclude<keyof ModelUsage, 'model'>, string])[] = [
  ...counts.map((name) => [name, `(doc->'usage'->>'${name}')::float8`] as const),
  ['reports', "case when doc->'usage' is null then 0 else 1 end"],
  ['calls', `case when ${reply} then jsonb_array_length(coalesce(doc->'calls', '[]')) else 0 end`],
];
