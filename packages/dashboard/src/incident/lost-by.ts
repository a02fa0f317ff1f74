import type { BacktestResult } from '@loopwatch/contract/api';

/** What other settings would no longer find, the session at hand aside. */
export interface Lost {
  readonly incidents: number;
  /** Ids of the sessions that they are in, the most first. */
  readonly sessions: readonly string[];
  /** Sessions that were played. */
  readonly of: number;
}

/**
 * A detector that is less strict may find the same loop later, so that the incidents of each session are compared by their number.
 *
 * @param result of two variants: what holds now, then what is tried
 */
export function lostBy({ sessions }: BacktestResult, ownSession: string): Lost {
  const others = sessions.filter(({ sessionId }) => sessionId !== ownSession);
  const losses = others
    .map(({ sessionId, hits: [now = [], tried = []] }) => ({ sessionId, lost: now.length - tried.length }))
    .filter(({ lost }) => lost > 0)
    .sort((a, b) => b.lost - a.lost);
  return {
    incidents: losses.reduce((sum, { lost }) => sum + lost, 0),
    sessions: losses.map(({ sessionId }) => sessionId),
    of: others.length,
  };
}
