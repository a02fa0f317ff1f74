import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterEnding,
  afterReady,
  type Decision,
  noEndings,
  type RestartState,
} from '../../src/workers/restart-policy.ts';

type Happening =
  | 'ready'
  | { readonly worker?: number; readonly code?: number | null; readonly wellMs?: number };

/** What is decided at each ending, in order. */
function decisions(workers: number, happenings: readonly Happening[]): Decision[] {
  let state: RestartState = noEndings(workers);
  const made: Decision[] = [];
  for (const happening of happenings) {
    if (happening === 'ready') {
      state = afterReady(state);
      continue;
    }
    const [next, decision] = afterEnding(state, { worker: 1, code: 1, wellMs: 0, ...happening });
    state = next;
    made.push(decision);
  }
  return made;
}

const delays = (made: readonly Decision[]) =>
  made.map((decision) => (decision.kind === 'restart' ? decision.afterMs : decision.kind));

const cases: [what: string, workers: number, happenings: Happening[], expected: (number | 'give_up')[]][] = [
  [
    'waits twice as long each time, up to half a minute',
    2,
    Array.from({ length: 9 }, () => ({})),
    [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000],
  ],
  [
    'restarts after a minute of good work',
    2,
    ['ready', {}, {}, {}, { wellMs: 60_000 }, {}],
    [500, 1_000, 2_000, 500, 1_000],
  ],
  ['does not take a shorter time for good work', 2, ['ready', {}, { wellMs: 59_999 }], [500, 1_000]],
  [
    'counts each worker by itself',
    3,
    [{}, {}, { worker: 2 }, { worker: 3 }, { worker: 1 }],
    [500, 1_000, 500, 500, 2_000],
  ],
  [
    'gives up when each worker refuses the configuration',
    2,
    [{ code: 2 }, { worker: 2, code: 2 }],
    [500, 'give_up'],
  ],
  [
    'gives up, too, when one was restarted before the other refused',
    2,
    [{ code: 2 }, { code: 2 }, { worker: 2, code: 2 }],
    [500, 1_000, 'give_up'],
  ],
  [
    'goes on when only some refuse, or for another reason than before',
    2,
    [{ code: 2 }, { worker: 2, code: 1 }, { code: 1 }, { worker: 2, code: 2 }],
    [500, 500, 1_000, 1_000],
  ],
  ['never gives up what has worked once', 2, ['ready', { code: 2 }, { worker: 2, code: 2 }], [500, 500]],
  ['goes on when brokers are out of reach', 1, [{ code: 1 }, { code: 1 }], [500, 1_000]],
  ['goes on after signals', 1, [{ code: null }, { code: null }], [500, 1_000]],
];

describe('the restart policy', () => {
  it.each(cases)('%s', (_what, workers, happenings, expected) => {
    expect(delays(decisions(workers, happenings))).toEqual(expected);
  });

  it('waits between half a second and half a minute, whatever happens, and gives up only by exit status 2', () => {
    const happening = fc.oneof(
      fc.constant('ready' as const),
      fc.record({
        worker: fc.integer({ min: 1, max: 3 }),
        code: fc.constantFrom(0, 1, 2, null),
        wellMs: fc.nat({ max: 200_000 }),
      }),
    );
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 3_000 }), (happenings) => {
        const made = decisions(3, happenings);
        const endings = happenings.filter((one) => one !== 'ready');
        for (const [i, decision] of made.entries()) {
          if (decision.kind === 'give_up') expect(endings[i]!.code).toBe(2);
          else expect(decision.afterMs).toSatisfy((ms: number) => ms >= 500 && ms <= 30_000);
        }
      }),
      { numRuns: 50 },
    );
  });
});
