import type { IncidentRow } from '@loopwatch/contract';
import { useState } from 'react';

export interface Pause {
  readonly paused: boolean;
  /** The rows to show: those of the moment of pausing while paused. */
  readonly rows: readonly IncidentRow[];
  /** Incidents that came since then. */
  readonly waiting: number;
  readonly toggle: () => void;
}

/** Holds the list still while someone reads it; nothing is lost meanwhile. */
export function usePause(live: readonly IncidentRow[]): Pause {
  const [held, setHeld] = useState<readonly IncidentRow[]>();
  const rows = held ?? live;
  const known = new Set(rows.map(({ id }) => id));
  return {
    paused: held !== undefined,
    rows,
    waiting: held === undefined ? 0 : live.filter(({ id }) => !known.has(id)).length,
    toggle: () => setHeld(held === undefined ? live : undefined),
  };
}
