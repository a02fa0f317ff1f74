import type { BacktestResult } from '@loopwatch/contract/api';

/** Incidents in other sessions that a remedy would hide. */
export interface RemedyImpact {
  readonly incidents: number;
  /** Ids of the affected sessions, most incidents first. */
  readonly sessions: readonly string[];
  /** Number of sessions checked. */
  readonly of: number;
}

/**
 * Compares the number of incidents per session, since a less strict detector may only find the same loop later.
 *
 * @param result of two variants: the current settings, then the proposed ones
 */
export function remedyImpact({ sessions }: BacktestResult, ownSession: string): RemedyImpact {
  const others = sessions.filter(({ sessionId }) => sessionId !== ownSession);
  const losses = others
    .map(({ sessionId, hits: [current = [], proposed = []] }) => ({
      sessionId,
      lost: current.length - proposed.length,
    }))
    .filter(({ lost }) => lost > 0)
    .sort((a, b) => b.lost - a.lost);
  return {
    incidents: losses.reduce((sum, { lost }) => sum + lost, 0),
    sessions: losses.map(({ sessionId }) => sessionId),
    of: others.length,
  };
}
