import type { Queryable } from '@loopwatch/storage';
import type { TimeRange } from './range.ts';

/** How many sessions were active in each bucket: from their first to their latest event, by event time. */
export async function activeSessions(
  database: Queryable,
  { from, to, bucketMs }: TimeRange,
): Promise<number[]> {
  const buckets = Math.ceil((to - from) / bucketMs);
  const rows = await database.query<{ first: number; last: number; sessions: number }>(
    `select greatest(0, floor((started_at - $1::float8) / $3::float8))::float8 as first,
       least($4::float8, floor((last_event_at - $1::float8) / $3::float8))::float8 as last, count(*)::float8 as sessions
     from sessions where last_event_at >= $1::float8 and started_at < $2::float8 group by 1, 2`,
    [from, to, bucketMs, buckets - 1],
  );
  // Where sessions begin and end being active; their running sum is how many are.
  const steps = new Array<number>(buckets + 1).fill(0);
  for (const { first, last, sessions } of rows) {
    if (last < first) continue;
    steps[first] = (steps[first] ?? 0) + sessions;
    steps[last + 1] = (steps[last + 1] ?? 0) - sessions;
  }
  let active = 0;
  return steps.slice(0, buckets).map((step) => {
    active += step;
    return active;
  });
}
