import type { BacktestHit } from '@loopwatch/contract/api';

export type Label = 'loop' | 'not_loop';

/** How well a variant separates loops from other sessions. */
export interface Score {
  readonly incidents: number;
  /** Sessions with at least one loop. */
  readonly flagged: number;
  readonly truePositives: number;
  readonly falsePositives: number;
  readonly falseNegatives: number;
  readonly trueNegatives: number;
  /** Null without any flagged, triaged session. */
  readonly precision: number | null;
  /** Null without any triaged loop. */
  readonly recall: number | null;
}

/** @param sessions detector hits and triage labels */
export function score(
  sessions: readonly { readonly label: Label | null; readonly hits: readonly BacktestHit[] }[],
): Score {
  const count = (label: Label | null | undefined, flagged: boolean) =>
    sessions.filter(
      (session) => (label === undefined || session.label === label) && session.hits.length > 0 === flagged,
    ).length;
  const truePositives = count('loop', true);
  const falsePositives = count('not_loop', true);
  const falseNegatives = count('loop', false);
  return {
    incidents: sessions.reduce((sum, { hits }) => sum + hits.length, 0),
    flagged: count(undefined, true),
    truePositives,
    falsePositives,
    falseNegatives,
    trueNegatives: count('not_loop', false),
    precision: share(truePositives, truePositives + falsePositives),
    recall: share(truePositives, truePositives + falseNegatives),
  };
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
