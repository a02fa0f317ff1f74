import type { BacktestResult } from '@loopwatch/contract/api';
import { expect, test } from 'vitest';
import { remedyImpact } from '../../../src/incident/triage/remedy-impact.ts';

const hit = (eventIndex: number) => ({
  detector: 'tool-repeat' as const,
  rule: null,
  eventIndex,
  count: 3,
  action: 'block' as const,
  reason: '',
});
/** A session with the event indices of its current and its proposed incidents. */
const session = (sessionId: string, current: number[], proposed: number[]) => ({
  sessionId,
  label: null,
  events: 40,
  complete: true,
  hits: [current.map(hit), proposed.map(hit)],
});
const result = (...sessions: BacktestResult['sessions']): BacktestResult => ({
  variants: [],
  sessions,
  missing: [],
});

test('remedyImpact: counts lost incidents in other sessions, most first, without loops found later', () => {
  const outcome = result(
    session('own', [4], []),
    session('one', [4, 9], [9]),
    session('later', [4], [12]),
    session('both', [4, 9], []),
    session('more', [], [3]),
  );
  expect(remedyImpact(outcome, 'own')).toEqual({ incidents: 3, sessions: ['both', 'one'], of: 4 });
});

test('remedyImpact: is zero without other sessions', () => {
  expect(remedyImpact(result(session('own', [4], [])), 'own')).toEqual({ incidents: 0, sessions: [], of: 0 });
});
