import { QUIET_AFTER_MS } from '@loopwatch/contract';
import type { Queryable } from '@loopwatch/storage';
import { cover, coverBuckets, type Segment } from './cover.ts';
import { boundsOf } from './incidents-in-range.ts';
import type { TimeRange } from './query-range.ts';

/** Sessions that are live now. @param now wall clock, epoch ms */
export async function countLiveSessions(database: Queryable, now: number): Promise<number> {
  const [row] = await database.query<{ sessions: number }>(
    `select count(*)::float8 as sessions from sessions where state = 'live' and active_at > $1::float8`,
    [now - QUIET_AFTER_MS],
  );
  return row?.sessions ?? 0;
}

interface Edges {
  /** The last one is all time after the range. */
  readonly bucket: number;
  readonly started: number;
  readonly ended: number;
}

/** Active sessions per bucket: a session is active from its first to its latest event, by event time. */
export async function activeSessions(database: Queryable, range: TimeRange): Promise<number[]> {
  const { from, to, bucketMs, bucketsFrom = from } = range;
  const buckets = Math.ceil((to - bucketsFrom) / bucketMs);
  const segments = [...coverBuckets(range), ...cover(to, Infinity)];
  const rows = await database.query<Edges>(
    `select bucket, sum(started)::float8 as started, sum(ended)::float8 as ended
     from (${segments.map((segment, index) => edgesOf(segment, index, segment.from >= to ? buckets : undefined)).join(' union all ')}) as segments group by 1`,
    [bucketsFrom, bucketMs, ...segments.flatMap((segment) => [segment.from, segment.to])],
  );
  // Those that end later than they start began before the range.
  let active = rows.reduce((sum, { started, ended }) => sum + ended - started, 0);
  const byBucket = new Map(rows.map((row) => [row.bucket, row]));
  return Array.from({ length: buckets }, (_, index) => {
    const { started = 0, ended = 0 } = byBucket.get(index) ?? {};
    const shown = active + started;
    active = shown - ended;
    return shown;
  });
}

/** @param bucket that of the whole segment */
function edgesOf({ width }: Segment, index: number, bucket: number | undefined): string {
  const [from, to] = boundsOf(index);
  const bucketOf = (time: string) =>
    bucket === undefined ? `floor((${time} - $1::float8) / $2::float8)::int` : String(bucket);
  if (width > 0) {
    return `select ${bucketOf('at')} as bucket, sum(started) as started, sum(ended) as ended
      from session_edges where width = ${String(width)} and at >= ${from} and at < ${to} group by 1`;
  }
  return `select ${bucketOf('started_at')} as bucket, count(*) as started, 0 as ended
      from sessions where started_at >= ${from} and started_at < ${to} group by 1
    union all select ${bucketOf('last_event_at')}, 0, count(*)
      from sessions where last_event_at >= ${from} and last_event_at < ${to} group by 1`;
}
