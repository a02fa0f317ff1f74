import { type DetectorId, detectorIds } from '@loopwatch/contract';
import type { Overview, OverviewQuery } from '@loopwatch/contract/api';
import type { Database, Queryable } from '@loopwatch/storage';
import { listIncidents } from '../incidents/list-incidents.ts';
import { latestChange } from '../live/changes.ts';
import { incidentStateSql, isDismissedSql, sessionStateSql } from '../storage/state-sql.ts';
import { activeSessions } from './active-sessions.ts';
import { incidentsInRange } from './incidents-in-range.ts';
import { latencyInRange } from './latency-in-range.ts';
import { queryRange } from './query-range.ts';
import { wasteOf } from './waste.ts';

const minute = 60_000;
/** A range to choose where the query names none: the shortest that reaches back to the first data. */
const spans = [5 * minute, 15 * minute, 60 * minute, 360 * minute];
const MAX_SPAN = 360 * minute;
const shownOpen = 8;

/**
 * Everything the overview shows, read in one snapshot of the database, so that its parts cannot contradict each other.
 *
 * @param now wall clock, epoch ms
 */
export function readOverview(
  database: Database,
  query: OverviewQuery,
  now: number,
): Promise<Omit<Overview, 'lag'>> {
  return database.transaction(async (tx) => {
    await tx.query('set transaction isolation level repeatable read, read only');
    const firstAt = await firstData(tx);
    const to = query.to ?? now;
    const from = query.from ?? to - (query.lastMs ?? spanFor(firstAt, to));
    const range = queryRange({ from, to }, now);
    const found = await incidentsInRange(tx, range);
    const latency = await latencyInRange(tx, range);
    const active = await activeSessions(tx, range);
    const unresolved = await unresolvedByDetector(tx, now);
    const openRows = unresolved.filter(({ state }) => state === 'open');
    const open = Object.fromEntries(openRows.map(({ detector, incidents }) => [detector, incidents]));
    const items = await listIncidents(
      tx,
      { open: true },
      { now, limit: shownOpen, cursor: undefined, sort: { by: 'detectedAt', descending: true } },
    );
    return {
      ...range,
      asOf: now,
      sequence: await latestChange(tx),
      firstAt,
      open: sumOf(openRows),
      quiet: sumOf(unresolved) - sumOf(openRows),
      openByDetector: open,
      openItems: items.items,
      found: found.rows.reduce((sum, row) => sum + row.found, 0),
      recovered: found.rows.reduce((sum, row) => sum + row.recovered, 0),
      wasted: wasteOf(found.rows),
      latency: latency.all,
      liveSessions: await liveSessions(tx, now),
      buckets: active.map((sessions, index) => {
        const own = found.bucket(index);
        return {
          at: range.from + index * range.bucketMs,
          incidents: Object.fromEntries(own.map((row) => [row.detector, row.found])),
          latency: latency.bucket(index),
          activeSessions: sessions,
          wasted: wasteOf(own),
        };
      }),
      detectors: detectorIds.map((detector) => ({
        ...found.detector(detector),
        open: open[detector] ?? 0,
      })),
    };
  });
}

function spanFor(firstAt: number | null, to: number): number {
  return spans.find((span) => firstAt !== null && to - firstAt <= span) ?? MAX_SPAN;
}

async function firstData(tx: Queryable): Promise<number | null> {
  const [row] = await tx.query<{ first: number | null }>(
    `select least((select min(started_at) from sessions), (select min(detected_at) from incidents)) as first`,
  );
  return row?.first ?? null;
}

interface Unresolved {
  readonly state: 'open' | 'quiet';
  readonly detector: DetectorId;
  readonly incidents: number;
}

function unresolvedByDetector(tx: Queryable, now: number): Promise<Unresolved[]> {
  return tx.query<Unresolved>(
    `select ${incidentStateSql('$1')} as state, detector, count(*)::float8 as incidents
     from incidents where state = 'open' and not ${isDismissedSql('$1')} group by 1, 2`,
    [now],
  );
}

function sumOf(rows: readonly Unresolved[]): number {
  return rows.reduce((sum, { incidents }) => sum + incidents, 0);
}

async function liveSessions(tx: Queryable, now: number): Promise<number> {
  const [row] = await tx.query<{ sessions: number }>(
    `select count(*)::float8 as sessions from sessions where state = 'live' and ${sessionStateSql('$1')} = 'live'`,
    [now],
  );
  return row?.sessions ?? 0;
}
