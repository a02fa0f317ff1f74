import type { Queryable } from '@loopwatch/storage';
import { sessionStateSql } from '../storage/state-sql.ts';
import type { TimeRange } from './query-range.ts';

/** Sessions that are live now. @param now wall clock, epoch ms */
export async function countLiveSessions(database: Queryable, now: number): Promise<number> {
  const [row] = await database.query<{ sessions: number }>(
    `select count(*)::float8 as sessions from sessions where state = 'live' and ${sessionStateSql('$1')} = 'live'`,
    [now],
  );
  return row?.sessions ?? 0;
}

/** Active sessions per bucket: a session is active from its first to its latest event, by event time. */
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
  // Sessions that become active in a bucket, less those that ended before it; the running sum is the number of active ones.
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
