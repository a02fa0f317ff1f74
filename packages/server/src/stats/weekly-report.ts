import {
  type BreakdownAmounts,
  differenceOf,
  rate,
  type WeeklyReport,
  weekOf,
  weekRange,
} from '@loopwatch/contract/api';
import type { Queryable } from '@loopwatch/storage';
import { listIncidents } from '../incidents/list-incidents.ts';
import { breakdown } from './breakdown.ts';

/** Agents that are compared with the week before: those with the most loops per session. */
const MAX_AGENTS = 200;
const SHOWN = 5;
const WEEK_MS = 7 * 86_400_000;

/**
 * @param week default: the latest complete one
 * @param now wall clock, epoch ms
 */
export async function weeklyReport(
  database: Queryable,
  week: string | undefined,
  now: number,
): Promise<WeeklyReport> {
  const name = week ?? weekOf(now - WEEK_MS);
  const range = weekRange(name);
  if (range === undefined) throw new Error(`${name} is no week`);
  const sort = { by: 'rate', descending: true } as const;
  const request = { groupBy: 'agent', ...range, compare: true, filter: {}, limit: MAX_AGENTS, sort } as const;
  const { total, groups } = await breakdown(database, request, now);
  const loops = await listIncidents(
    database,
    { kind: ['loop'], ...range },
    { now, limit: SHOWN, cursor: undefined, sort: { by: 'usd', descending: true } },
  );
  const worse = groups.flatMap(({ value, ...amounts }) =>
    value !== null && isWorse(amounts) ? [{ ...amounts, value }] : [],
  );
  return { week: name, ...range, total, worse: worse.slice(0, SHOWN), loops: loops.items };
}

function isWorse({
  previous,
  ...current
}: BreakdownAmounts & { previous?: BreakdownAmounts | undefined }): boolean {
  if (previous === undefined) return false;
  const fewest = Math.min(current.activity.sessions, previous.activity.sessions);
  return differenceOf(rateOf(previous), rateOf(current), fewest) === 'higher';
}

function rateOf({ incidents, activity }: BreakdownAmounts) {
  return rate(incidents, activity.sessions);
}
