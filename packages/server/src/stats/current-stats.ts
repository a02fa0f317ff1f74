import type { DetectorId, IncidentStats } from '@loopwatch/contract';
import { isDismissedSql, type Queryable } from '@loopwatch/storage';
import { isOpenSql } from '../storage/state-sql.ts';
import { HOUR, MINUTE, storedWaste } from '../storage/sums.ts';
import { SharedResult } from './shared-result.ts';

const MINUTES = 60;
/** The condition of an index. */
const mayBeDismissed = `(triage <> 'new' or mute_id is not null)`;

interface Sums {
  readonly kept: number;
  readonly since: number | null;
  readonly recovered: number;
  readonly ended: number;
  readonly disabled: number;
  readonly calls: number;
  readonly tokens: number | null;
  readonly usd: number | null;
  readonly unpriced: number;
}

interface Dropped extends Omit<Sums, 'kept'> {
  readonly incidents: number;
}

/** Statistics that are shared by all clients for at least a second. */
export type SharedStats = SharedResult<Readonly<Record<string, never>>, IncidentStats>;

export function createSharedStats(database: Queryable, now: () => number): SharedStats {
  return new SharedResult({
    read: (_query, at) => currentStats(database, at),
    now,
    minAgeMs: 1_000,
    maxShare: 0.05,
    maxAgeMs: 4_000,
  });
}

/** Statistics over everything stored, and over what retention has deleted. @param now wall clock, epoch ms */
export async function currentStats(database: Queryable, now: number): Promise<IncidentStats> {
  const [sums] = await database.query<Sums>(
    `select coalesce(sum(found), 0)::float8 as kept, (select min(detected_at) from incidents) as since,
       coalesce(sum(recovered), 0)::float8 as recovered, coalesce(sum(ended), 0)::float8 as ended,
       coalesce(sum(disabled), 0)::float8 as disabled, ${storedWaste}
     from incident_sums where width = ${String(HOUR)}`,
  );
  const [dropped] = await database.query<Dropped>(
    `select incidents::float8, since, recovered::float8, ended::float8, disabled::float8, calls::float8, tokens, usd, unpriced::float8 from deleted_totals`,
  );
  if (sums === undefined || dropped === undefined) throw new Error('An aggregate query returned no row');
  return {
    ...(await countUnresolved(database, now)),
    found: sums.kept + dropped.incidents,
    foundSince: least(sums.since, dropped.since),
    foundPerMinute: await foundPerMinute(database, now),
    resolved: {
      recovered: sums.recovered + dropped.recovered,
      ended: sums.ended + dropped.ended,
      disabled: sums.disabled + dropped.disabled,
    },
    calls: sums.calls + dropped.calls,
    tokens: knownSum(sums.tokens, dropped.tokens),
    usd: knownSum(sums.usd, dropped.usd),
    unpriced: sums.unpriced + dropped.unpriced,
    latency: await latestLatency(database),
    kept: sums.kept,
    dropped: dropped.incidents,
  };
}

/** Unresolved incidents that are not dismissed: the open ones, and those that are quiet. */
export async function countUnresolved(
  database: Queryable,
  now: number,
): Promise<Pick<IncidentStats, 'open' | 'quiet' | 'openByDetector'>> {
  const open = await database.query<{ detector: DetectorId; incidents: number }>(
    `select detector, count(*)::float8 as incidents from incidents where ${isOpenSql('$1')} group by 1`,
    [now],
  );
  const [all] = await database.query<{ incidents: number }>(
    `select (coalesce((select sum(unresolved) from incident_sums where width = ${String(HOUR)}), 0)
       - (select count(*) from incidents where state = 'open' and ${mayBeDismissed} and ${isDismissedSql('$1')}))::float8 as incidents`,
    [now],
  );
  const sum = open.reduce((total, { incidents }) => total + incidents, 0);
  return {
    open: sum,
    quiet: (all?.incidents ?? 0) - sum,
    openByDetector: Object.fromEntries(open.map(({ detector, incidents }) => [detector, incidents])),
  };
}

async function foundPerMinute(database: Queryable, now: number): Promise<number[]> {
  const counts = new Array<number>(MINUTES).fill(0);
  const rows = await database.query<{ ago: number; incidents: number }>(
    `select greatest(0, floor(($1::float8 - detected_at) / ${String(MINUTE)}))::float8 as ago, count(*)::float8 as incidents
     from incidents where detected_at > $1::float8 - ${String(MINUTE * MINUTES)} group by 1`,
    [now],
  );
  for (const { ago, incidents } of rows) {
    const index = MINUTES - 1 - ago;
    if (index >= 0) counts[index] = incidents;
  }
  return counts;
}

/** Of the latest thousand incidents, so that it shows the current latency. */
async function latestLatency(database: Queryable): Promise<IncidentStats['latency']> {
  const [row] = await database.query<{ p50: number | null; incidents: number }>(
    `select percentile_disc(0.5) within group (order by latency_ms) as p50, count(latency_ms)::float8 as incidents
     from (select latency_ms from incidents order by detected_at desc, id desc limit 1000) as latest`,
  );
  return row?.p50 == null ? null : { p50Ms: row.p50, incidents: row.incidents };
}

function knownSum(a: number | null, b: number | null): number | null {
  return a === null && b === null ? null : (a ?? 0) + (b ?? 0);
}

function least(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}
