import type { LoopAmounts, LoopRate } from '@loopwatch/contract/api';
import type { Queryable } from '@loopwatch/storage';
import { wasteSums } from '../storage/waste-sql.ts';
import { activeSessions } from './active-sessions.ts';
import type { TimeRange } from './query-range.ts';

/** More are too short to tell a rate, fewer do not show when it changed. */
const WANTED_STEPS = 12;

interface Step {
  readonly agent: string | null;
  readonly step: number;
  readonly loops: number;
}

/** Loops among the sessions of a range and of the range before it. @param agents those whose loops are counted by step */
export async function loopRate(
  database: Queryable,
  range: TimeRange,
  agents: readonly string[],
): Promise<LoopRate> {
  const { from, to, bucketMs } = range;
  const buckets = Math.ceil((to - from) / bucketMs);
  const stepMs = bucketMs * Math.ceil(buckets / WANTED_STEPS);
  const sessions = await activeSessions(database, { from, to, bucketMs: stepMs });
  const found = await database.query<Step>(
    `select case when agent = any (select jsonb_array_elements_text($4::jsonb)) then agent end as agent,
       floor((detected_at - $1::float8) / $3::float8)::int as step, count(*)::float8 as loops
     from incidents where kind = 'loop' and detected_at >= $1::float8 and detected_at < $2::float8 group by 1, 2`,
    [from, to, stepMs, JSON.stringify(agents)],
  );
  const loopsAt = (step: number, agent?: string) =>
    found
      .filter((row) => row.step === step && (agent === undefined || row.agent === agent))
      .reduce((sum, { loops }) => sum + loops, 0);
  const previous = await amountsOf(database, from - (to - from), from);
  return {
    ...(await amountsOf(database, from, to)),
    previous: previous.sessions === 0 ? null : previous,
    stepMs,
    steps: sessions.map((count, step) => ({
      at: from + step * stepMs,
      loops: loopsAt(step),
      sessions: count,
    })),
    agents: agents.map((agent) => ({ agent, loops: sessions.map((_, step) => loopsAt(step, agent)) })),
  };
}

/** Loops that were detected in a period, and the sessions that were active in it. */
async function amountsOf(database: Queryable, from: number, to: number): Promise<LoopAmounts> {
  const [waste] = await database.query<{ loops: number; usd: number | null }>(
    `select count(*)::float8 as loops, ${wasteSums()} from incidents
     where kind = 'loop' and detected_at >= $1::float8 and detected_at < $2::float8`,
    [from, to],
  );
  const [spend] = await database.query<{ sessions: number; usd: number | null }>(
    `select count(*)::float8 as sessions, sum(usd) filter (where usd >= 0) as usd from sessions
     where last_event_at >= $1::float8 and started_at < $2::float8`,
    [from, to],
  );
  return {
    loops: waste?.loops ?? 0,
    sessions: spend?.sessions ?? 0,
    wastedUsd: waste?.usd ?? null,
    usd: spend?.usd ?? null,
  };
}
