import type { DetectorId, IncidentRow, IncidentStats } from '@loopwatch/contract';

/** Sums over the incidents that are no longer kept. */
export interface Dropped {
  readonly incidents: number;
  readonly since: number | null;
  readonly resolved: Readonly<IncidentStats['resolved']>;
  readonly calls: number;
  readonly tokens: number | null;
}

export const nothingDropped: Dropped = {
  incidents: 0,
  since: null,
  resolved: { recovered: 0, ended: 0, disabled: 0 },
  calls: 0,
  tokens: null,
};

const MINUTE = 60_000;
const MINUTES = 60;
/** Beyond this an event's time is not "now" (a recording is being played), and the difference says nothing. */
const PLAUSIBLE_LATENCY = 10 * MINUTE;

export function withDropped(dropped: Dropped, row: IncidentRow): Dropped {
  return {
    incidents: dropped.incidents + 1,
    since: earlier(dropped.since, row.detectedAt),
    resolved: withOutcome(dropped.resolved, row),
    calls: dropped.calls + row.cost.calls,
    tokens: sum(dropped.tokens, row.cost.tokens),
  };
}

/** The numbers over all incidents, kept and dropped. @param now wall clock, epoch ms */
export function summarize(rows: readonly IncidentRow[], dropped: Dropped, now: number): IncidentStats {
  const all = rows.reduce(withDropped, dropped);
  const open = rows.filter((row) => row.state === 'open');
  const openByDetector: Partial<Record<DetectorId, number>> = {};
  for (const { detector } of open) openByDetector[detector] = (openByDetector[detector] ?? 0) + 1;
  return {
    open: open.length,
    openByDetector,
    found: all.incidents,
    foundSince: all.since,
    foundPerMinute: perMinute(rows, now),
    resolved: { ...all.resolved },
    calls: all.calls,
    tokens: all.tokens,
    latency: latency(rows),
    kept: rows.length,
    dropped: dropped.incidents,
  };
}

function perMinute(rows: readonly IncidentRow[], now: number): number[] {
  const counts = new Array<number>(MINUTES).fill(0);
  for (const { detectedAt } of rows) {
    const age = Math.floor((now - detectedAt) / MINUTE);
    const index = MINUTES - 1 - Math.max(0, age);
    if (index >= 0) counts[index] = (counts[index] ?? 0) + 1;
  }
  return counts;
}

function latency(rows: readonly IncidentRow[]): IncidentStats['latency'] {
  const all = rows
    .map((row) => row.detectedAt - row.openedAt)
    .filter((ms) => ms >= 0 && ms <= PLAUSIBLE_LATENCY)
    .sort((a, b) => a - b);
  const p50Ms = all[Math.floor((all.length - 1) / 2)];
  return p50Ms === undefined ? null : { p50Ms, incidents: all.length };
}

function withOutcome(resolved: Dropped['resolved'], { outcome }: IncidentRow): Dropped['resolved'] {
  return outcome === null ? resolved : { ...resolved, [outcome]: resolved[outcome] + 1 };
}

function earlier(a: number | null, b: number): number {
  return a === null ? b : Math.min(a, b);
}

function sum(a: number | null, b: number | null): number | null {
  return b === null ? a : (a ?? 0) + b;
}
