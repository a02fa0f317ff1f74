import type { IncidentItem, SessionOutline } from '@loopwatch/contract/api';

type Bins = SessionOutline['bins'];

/** A loop on the map, by event indexes. */
export interface MapLoop {
  readonly incident: IncidentItem;
  readonly from: number;
  /** Where it was reported first. */
  readonly alarm: number;
  readonly to: number;
  /** What was used after the alarm; null if no price is known. */
  readonly saved: { readonly tokens: number; readonly usd: number | null };
}

export interface Used {
  readonly tokens: number;
  readonly usd: number;
}

/** What was used up to an event, between bins in proportion. */
export function usedUpTo({ bins, events }: Pick<SessionOutline, 'bins' | 'events'>, index: number): Used {
  let tokens = 0;
  let usd = 0;
  for (const [i, bin] of bins.entries()) {
    const end = bins[i + 1]?.index ?? events;
    const share = Math.min(1, Math.max(0, (index - bin.index) / Math.max(1, end - bin.index)));
    tokens += bin.tokens * share;
    usd += bin.usd * share;
    if (share < 1) break;
  }
  return { tokens, usd };
}

/** The index of the event at a time, between bins in proportion. */
export function indexAt(bins: Bins, events: number, time: number): number {
  const at = bins.findLastIndex((bin) => bin.time <= time);
  const bin = bins[at];
  if (bin === undefined) return 0;
  const next = bins[at + 1];
  if (next === undefined) return Math.max(0, events - 1);
  const share = next.time > bin.time ? (time - bin.time) / (next.time - bin.time) : 0;
  return Math.round(bin.index + share * (next.index - bin.index));
}

/** The loops of a session, oldest first; limits and outages are no loops. */
export function loopsOn(outline: SessionOutline, incidents: readonly IncidentItem[]): MapLoop[] {
  const { bins, events, unpriced } = outline;
  return incidents
    .filter(({ kind }) => kind === 'loop')
    .map((incident): MapLoop => {
      const { began, openedAt, lastAt, resolvedAt, cost } = incident;
      const from = began?.eventIndex ?? indexAt(bins, events, openedAt - cost.ms);
      // By time only: with a clock that jumps, it may seem to be before the loop began.
      const alarm = Math.max(from, indexAt(bins, events, openedAt));
      const end = resolvedAt === null ? Math.max(0, events - 1) : indexAt(bins, events, lastAt);
      const to = Math.max(alarm, end);
      const before = usedUpTo(outline, alarm);
      const after = usedUpTo(outline, to);
      const usd = after.usd - before.usd;
      return {
        incident,
        from,
        alarm,
        to,
        saved: { tokens: after.tokens - before.tokens, usd: unpriced && usd === 0 ? null : usd },
      };
    })
    .sort((a, b) => a.from - b.from);
}

/** What all loops used after their alarms, each event once. */
export function savedByStopping(outline: SessionOutline, loops: readonly MapLoop[]): Used {
  let tokens = 0;
  let usd = 0;
  let covered = 0;
  for (const { alarm, to } of [...loops].sort((a, b) => a.alarm - b.alarm)) {
    const from = Math.max(alarm, covered);
    if (to <= from) continue;
    const before = usedUpTo(outline, from);
    const after = usedUpTo(outline, to);
    tokens += after.tokens - before.tokens;
    usd += after.usd - before.usd;
    covered = to;
  }
  return { tokens, usd };
}
