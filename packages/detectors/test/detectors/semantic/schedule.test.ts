import type { CheckAnswer } from '@loopwatch/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CheckSchedule, nextInterval } from '../../../src/detectors/semantic/schedule.ts';

const options = { afterTurns: 30, interval: 10 };

describe('the interval after an answer with confidence', () => {
  it.each([
    [0, 15],
    [0.1, 14],
    [0.5, 10],
    [0.55, 10],
    [0.85, 7],
    [0.9, 6],
    [0.95, 6],
    [0.951, 5],
    [1, 5],
  ])('%d is %d turns', (confidence, turns) => expect(nextInterval(confidence)).toBe(turns));
});

/** What happens at one check: the answer, and after how many further turns it comes. */
interface Reply {
  readonly answer: CheckAnswer;
  readonly late: number;
}

const confidence = fc.oneof(
  fc.constantFrom(0, 0.1, 0.5, 0.9, 0.95, 1),
  fc.double({ min: 0, max: 1, noNaN: true }),
);
const reply: fc.Arbitrary<Reply> = fc.record({
  answer: fc.oneof(
    { weight: 3, arbitrary: confidence.map((value): CheckAnswer => ({ analysis: '', confidence: value })) },
    fc.constantFrom('error', 'timeout', 'malformed', 'skipped').map((failure): CheckAnswer => ({ failure })),
  ),
  late: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.nat(40)),
});

/** The turns that ask, by the rules read one by one: everything is looked up in the past, nothing is carried along. */
function oracle(turns: number, replies: readonly Reply[]): number[] {
  const asked: number[] = [];
  const endOf = (check: number): number =>
    (asked[check] ?? 0) + (replies[check]?.late ?? Number.POSITIVE_INFINITY);
  for (let turn = 1; turn <= turns; turn += 1) {
    if (turn < 30) continue;
    // The answer to the latest check came during the turn before this one, or earlier.
    const underWay = asked.length > 0 && endOf(asked.length - 1) >= turn;
    if (underWay) continue;
    const answered = replies
      .slice(0, asked.length)
      .flatMap(({ answer }) => ('confidence' in answer ? [answer] : []));
    const newest = answered.at(-1);
    const interval = newest === undefined ? 10 : Math.round(5 + 10 * (1 - newest.confidence));
    const lastCheck = asked.at(-1);
    if (lastCheck === undefined || turn - lastCheck >= interval) asked.push(turn);
  }
  return asked;
}

/** The same by the schedule; an answer that is late by n comes in the nth turn after the one that asked. */
function scheduled(turns: number, replies: readonly Reply[], reload: boolean): number[] {
  let schedule = new CheckSchedule(options);
  const asked: number[] = [];
  let waiting: { reply: Reply; at: number } | undefined;
  for (let turn = 1; turn <= turns; turn += 1) {
    if (schedule.startTurn()) {
      const next = replies[asked.length];
      asked.push(turn);
      waiting = next && { reply: next, at: turn + next.late };
    }
    if (waiting !== undefined && waiting.at <= turn) {
      schedule.settle(waiting.reply.answer);
      waiting = undefined;
    }
    if (!reload) continue;
    const snapshot = JSON.parse(JSON.stringify(schedule.snapshot())) as ReturnType<CheckSchedule['snapshot']>;
    schedule = new CheckSchedule(options);
    schedule.restore(snapshot);
  }
  return asked;
}

describe('the check schedule', () => {
  it('matches the reference for any answers, failures and delays', () => {
    const anything = [
      fc.integer({ min: 0, max: 300 }),
      fc.array(reply, { maxLength: 40 }),
      fc.boolean(),
    ] as const;
    fc.assert(
      fc.property(...anything, (turns, replies, reload) => {
        expect(scheduled(turns, replies, reload)).toEqual(oracle(turns, replies));
      }),
      { numRuns: 500 },
    );
  });

  it('has a reference that reproduces the documented examples', () => {
    const at = (confidence: number): Reply => ({ answer: { analysis: '', confidence }, late: 0 });
    expect(oracle(100, [at(0.1), at(0.5), at(0.9), at(0.9)])).toEqual([30, 44, 54, 60, 66]);
    expect(oracle(60, Array(9).fill({ answer: { failure: 'error' }, late: 0 }))).toEqual([30, 40, 50, 60]);
    expect(oracle(60, [{ ...at(0.9), late: 20 }])).toEqual([30, 51]);
  });

  it('restarts with each prompt, even while a check is pending', () => {
    const schedule = new CheckSchedule(options);
    const turns = (count: number) =>
      Array.from({ length: count }, () => schedule.startTurn()).indexOf(true) + 1;
    expect(turns(30)).toBe(30);
    schedule.reset();
    expect(turns(29)).toBe(0);
    expect(turns(1)).toBe(1);
    schedule.settle({ analysis: '', confidence: 1 });
    schedule.reset();
    expect(turns(30)).toBe(30);
    schedule.settle({ failure: 'timeout' });
    expect(turns(10)).toBe(10);
  });
});
