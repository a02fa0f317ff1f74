import type { BacktestResult } from '@loopwatch/contract/api';
import { expect, test } from 'vitest';
import { remedyImpact } from '../src/incident/remedy-impact.ts';

const hit = (eventIndex: number) => ({
  detector: 'tool-repeat' as const,
  rule: null,
  eventIndex,
  count: 3,
  action: 'block' as const,
  reason: '',
});
/** A session with the incidents that open now, and those that would. */
const session = (sessionId: string, now: number[], tried: number[]) => ({
  sessionId,
  label: null,
  events: 40,
  complete: true,
  hits: [now.map(hit), tried.map(hit)],
});
const result = (...sessions: BacktestResult['sessions']): BacktestResult => ({
  variants: [],
  sessions,
  missing: [],
});

test('what is lost is counted in other sessions, the most first; a loop that is found later is not lost', () => {
  const tried = result(
    session('own', [4], []),
    session('one', [4, 9], [9]),
    session('later', [4], [12]),
    session('both', [4, 9], []),
    session('more', [], [3]),
  );
  expect(remedyImpact(tried, 'own')).toEqual({ incidents: 3, sessions: ['both', 'one'], of: 4 });
});

test('nothing is lost where nothing else was recorded', () => {
  expect(remedyImpact(result(session('own', [4], [])), 'own')).toEqual({ incidents: 0, sessions: [], of: 0 });
});
