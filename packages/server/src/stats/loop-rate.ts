import { detectorKind } from '@loopwatch/contract';
import type { LoopAmounts, LoopRate } from '@loopwatch/contract/api';
import type { Queryable } from '@loopwatch/storage';
import { activeSessions } from './active-sessions.ts';
import { cover, coverBuckets, type Segment } from './cover.ts';
import { sumCosts } from './detector-stats.ts';
import { type BucketRow, boundsOf, type IncidentsInRange, incidentsInRange } from './incidents-in-range.ts';
import type { TimeRange } from './query-range.ts';

/** More are too short to tell a rate, fewer do not show when it changed. */
const WANTED_STEPS = 12;

interface Step {
  readonly agent: string;
  readonly step: number;
  readonly loops: number;
}

/** Loops among the sessions of a range and of the range before it. @param agents those whose loops are counted by step */
export async function loopRate(
  database: Queryable,
  range: TimeRange,
  agents: readonly string[],
): Promise<LoopRate> {
  const { from, to, bucketMs, bucketsFrom = from } = range;
  const buckets = Math.ceil((to - from) / bucketMs);
  const stepMs = bucketMs * Math.max(1, Math.round(buckets / WANTED_STEPS));
  const steps = { ...range, bucketMs: stepMs };
  const before = { from: from - (to - from), to: from, bucketMs: to - from };
  const sessions = await activeSessions(database, steps);
  const found = await incidentsInRange(database, steps);
  const ofAgents = await loopsByAgent(database, steps, agents);
  const foundBefore = await incidentsInRange(database, before);
  const previous = amountsOf(foundBefore, await spendOf(database, before));
  return {
    ...amountsOf(found, await spendOf(database, range)),
    previous: previous.sessions === 0 ? null : previous,
    stepMs,
    steps: sessions.map((count, step) => ({
      at: bucketsFrom + step * stepMs,
      loops: countLoops(found.bucket(step)),
      sessions: count,
    })),
    agents: agents.map((agent) => ({
      agent,
      loops: sessions.map(
        (_, step) => ofAgents.find((row) => row.agent === agent && row.step === step)?.loops ?? 0,
      ),
    })),
  };
}

function countLoops(rows: readonly BucketRow[]): number {
  return rows.reduce((sum, { detector, found }) => sum + (detectorKind(detector) === 'loop' ? found : 0), 0);
}

function amountsOf({ rows }: IncidentsInRange, spend: Spend | undefined): LoopAmounts {
  return {
    loops: countLoops(rows),
    sessions: spend?.sessions ?? 0,
    wastedUsd: sumCosts(rows).usd,
    usd: spend?.usd ?? null,
  };
}

async function loopsByAgent(
  database: Queryable,
  range: TimeRange,
  agents: readonly string[],
): Promise<readonly Step[]> {
  if (agents.length === 0) return [];
  const segments = coverBuckets(range);
  const among = `agent in (select jsonb_array_elements_text($${String(2 * segments.length + 3)}::jsonb))`;
  const select = ({ width }: Segment, index: number) => {
    const [from, to] = boundsOf(index);
    const step = (time: string) => `floor((${time} - $1::float8) / $2::float8)::int as step`;
    return width === 0
      ? `select agent, ${step('detected_at')}, count(*) as loops from incidents
         where kind = 'loop' and ${among} and detected_at >= ${from} and detected_at < ${to} group by 1, 2`
      : `select agent, ${step('at')}, sum(loops) as loops from agent_loops
         where width = ${String(width)} and ${among} and at >= ${from} and at < ${to} group by 1, 2`;
  };
  return database.query<Step>(
    `select agent, step, sum(loops)::float8 as loops from (${segments.map(select).join(' union all ')}) as segments group by 1, 2`,
    [
      range.bucketsFrom ?? range.from,
      range.bucketMs,
      ...segments.flatMap(({ from, to }) => [from, to]),
      JSON.stringify(agents),
    ],
  );
}

interface Spend {
  readonly sessions: number;
  readonly usd: number | null;
}

/** What the sessions spent that were active in each period: all that ended since its start, less those that began after it. */
export async function spendOf(
  database: Queryable,
  { from, to }: Pick<TimeRange, 'from' | 'to'>,
): Promise<Spend | undefined> {
  const parameters: number[] = [];
  const since = (time: number, edge: 'started' | 'ended', sign: 1 | -1) =>
    cover(time, Infinity).map(({ width, ...bounds }) => {
      parameters.push(bounds.from, bounds.to);
      const [column, sums] =
        width === 0
          ? [
              edge === 'started' ? 'started_at' : 'last_event_at',
              `count(*), sum(usd::numeric) filter (where usd >= 0), count(*) filter (where usd >= 0)`,
            ]
          : ['at', `sum(${edge}), sum(${edge}_usd), sum(${edge}_priced)`];
      return `select ${String(sign)} as sign, * from (select ${sums} from ${width === 0 ? 'sessions' : 'session_edges'}
        where ${width === 0 ? '' : `width = ${String(width)} and `}${column} >= $${String(parameters.length - 1)}::float8
          and ${column} < $${String(parameters.length)}::float8) as part(sessions, usd, priced)`;
    });
  const [row] = await database.query<Spend>(
    `select coalesce(sum(sign * sessions), 0)::float8 as sessions,
       (case when sum(sign * priced) > 0 then sum(sign * usd) end)::float8 as usd
     from (${[...since(from, 'ended', 1), ...since(to, 'started', -1)].join(' union all ')}) as parts`,
    parameters,
  );
  return row;
}
