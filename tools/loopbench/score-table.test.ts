import { expect, it } from 'vitest';
import { ownCases } from './cases.ts';
import { loopwatch } from './contenders/loopwatch.ts';
import { sameCallInARow } from './contenders/same-call.ts';
import { leftOutNote, scoreTable } from './score-table.ts';

it('loopbench: counts found loops and false alarms by set', () => {
  const tally = (id: string, isLoop: boolean, reported: boolean) => ({
    contender: 'a',
    set: 's',
    id,
    isLoop,
    reported,
  });
  const table = scoreTable(
    [{ name: 'a', version: '1', note: '' }],
    [tally('1', true, true), tally('2', true, false), tally('3', false, true), tally('4', false, false)],
  );
  expect(table.split('\n')[2]).toBe('| a | 1 | 50 % | 50 % | 1 of 2; 1 of 2 |  |');
});

it('loopbench: preset balanced classifies all four sets of cases correctly', () => {
  const cases = [...ownCases()];
  const sets = [...new Set(cases.map(({ set }) => set))];
  expect(sets).toEqual(['samples', 'shapes', 'healthy', 'small-model streams']);
  const detector = loopwatch('balanced', '0');
  const wrong = cases.filter(({ isLoop, events }) => detector.reports(events) !== isLoop);
  expect(wrong.map(({ set, id }) => `${set} ${id}`)).toEqual([]);
});

it.each([
  { times: 4, calls: 4, reported: true },
  { times: 4, calls: 3, reported: false },
])('loopbench: $times identical calls in a row, of $calls: $reported', ({ times, calls, reported }) => {
  const call = { type: 'tool_call_request', name: 'read', args: { path: 'a' } } as const;
  expect(sameCallInARow(times).reports(Array.from({ length: calls }, () => call))).toBe(reported);
});

it('loopbench: lists the cases missing from the table', () => {
  const note = leftOutNote([
    { set: 'web-agents', sessions: 149, canBeFetched: true },
    { set: 'mini-swe-agent', sessions: 39, canBeFetched: false },
  ]);
  expect(note).toContain('not fetched yet (npm run loopbench -- fetch): web-agents (149)');
  expect(note).toContain('only with --data FOLDER: mini-swe-agent (39)');
  expect(leftOutNote([])).toBe('');
});
