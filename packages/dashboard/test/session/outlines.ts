import type { SessionOutline } from '@loopwatch/contract/api';
import { row } from '../rows.ts';

/** Ten bins of ten events, a second and ten cents each. */
export const outline: SessionOutline = {
  events: 100,
  bins: Array.from({ length: 10 }, (_, i) => ({
    index: i * 10,
    time: i * 10_000,
    calls: 5,
    failed: 0,
    tokens: 1_000,
    usd: 1,
  })),
  unpriced: false,
  complete: true,
  matches: [],
};

/** A loop in it that was found, and ended. */
export const loop = (part: object = {}) =>
  row({
    kind: 'loop',
    began: { eventIndex: 20, eventId: '#20', time: 20_000 },
    openedAt: 30_000,
    lastAt: 60_000,
    resolvedAt: 60_000,
    ...part,
  });
