import type { Cost, Waste } from '@loopwatch/contract';
import type { Mark } from '../calls/mark.ts';
import { roundUsd } from '../lib/round-usd.ts';

/*
 * Loops of one session may overlap. Each call and each report of usage is wasted once, by the loop that opened first among
 * those that contain it. A session keeps the spans that its loops cover: of calls, by number, and of reports of usage.
 */

/** A boundary of a span: the number of calls or of reports before it, with the usage so far. */
export type Bound = readonly [at: number, tokens: number, usd: number, unpriced: number];
type Span = readonly [from: Bound, to: Bound];
type Spans = readonly Span[];

/** Disjoint, oldest first. */
export interface Coverage {
  readonly calls: Spans;
  readonly reports: Spans;
}

export const NOTHING_COVERED: Coverage = { calls: [], reports: [] };

/** What one loop wasted: the usage that it covered before any other did. */
export interface OwnUse {
  readonly calls: number;
  readonly tokens: number;
  readonly usd: number;
  readonly unpriced: number;
}

export const NOTHING_USED: OwnUse = { calls: 0, tokens: 0, usd: 0, unpriced: 0 };

/** Beyond this many gaps, the oldest counts as covered: no loop reaches back that far, and state is bounded. */
const MAX_SPANS = 32;

/**
 * Covers what a loop contains.
 *
 * @param calls calls in the loop, from its start; default: all
 * @returns the coverage, and what the loop wasted including `own`
 */
export function cover(
  coverage: Coverage,
  { since, calls, own }: { readonly since: Mark; readonly calls?: number | undefined; readonly own: OwnUse },
  now: Mark,
): { readonly coverage: Coverage; readonly own: OwnUse } {
  const end = calls === undefined ? now.calls : Math.min(now.calls, since.calls + calls);
  const inCalls = covered(coverage.calls, [since.calls, 0, 0, 0], [end, 0, 0, 0]);
  const inReports = covered(coverage.reports, usageAt(since), usageAt(now));
  return {
    coverage: { calls: inCalls.spans, reports: inReports.spans },
    own: {
      calls: own.calls + inCalls.added[0],
      tokens: own.tokens + inReports.added[1],
      usd: own.usd + inReports.added[2],
      unpriced: own.unpriced + inReports.added[3],
    },
  };
}

/** Amounts that the loop's cost does not know stay unknown. */
export function wasteOf({ calls, tokens, usd, unpriced }: OwnUse, cost: Cost): Waste {
  return {
    calls,
    tokens: cost.tokens === null ? null : tokens,
    ...(cost.usd !== undefined && { usd: unpriced > 0 ? null : roundUsd(usd) }),
  };
}

function usageAt({ usageReports, tokens, usd, unpricedReports }: Mark): Bound {
  return [usageReports, tokens, usd, unpricedReports];
}

function covered(spans: Spans, from: Bound, to: Bound): { readonly spans: Spans; readonly added: Bound } {
  if (to[0] <= from[0]) return { spans, added: [0, 0, 0, 0] };
  const added: [number, number, number, number] = [0, 0, 0, 0];
  const before: Span[] = [];
  const after: Span[] = [];
  let [first, last, gapFrom] = [from, to, from];
  const addGap = (gapTo: Bound): void => {
    if (gapTo[0] <= gapFrom[0]) return;
    for (const i of [0, 1, 2, 3] as const) added[i] += gapTo[i] - gapFrom[i];
  };
  for (const span of spans) {
    const [start, end] = span;
    if (end[0] < from[0]) before.push(span);
    else if (start[0] > to[0]) after.push(span);
    else {
      addGap(start);
      if (end[0] > gapFrom[0]) gapFrom = end;
      if (start[0] < first[0]) first = start;
      if (end[0] > last[0]) last = end;
    }
  }
  addGap(to);
  return { spans: bounded([...before, [first, last], ...after]), added };
}

function bounded(spans: Spans): Spans {
  const [first, second, ...rest] = spans;
  if (spans.length <= MAX_SPANS || first === undefined || second === undefined) return spans;
  return [[first[0], second[1]], ...rest];
}
