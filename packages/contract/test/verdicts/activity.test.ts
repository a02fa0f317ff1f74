import { describe, expect, it } from 'vitest';
import { incidentAt, isQuiet, QUIET_AFTER_MS, sessionAt } from '../../src/index.ts';

const HEARD = 1_000_000;
const justBefore = HEARD + QUIET_AFTER_MS - 1;
const after = HEARD + QUIET_AFTER_MS;
const activity = { lastActivityAt: HEARD };

it('isQuiet: true one minute after the latest event was processed', () => {
  expect([HEARD - 5_000, HEARD, justBefore, after].map((now) => isQuiet(activity, now))).toEqual([
    ...[false, false, false, true],
  ]);
});

describe('incidentAt', () => {
  it.each([
    ['open', justBefore, 'open'],
    ['open', after, 'quiet'],
    ['quiet', after, 'quiet'],
    ['quiet', justBefore, 'open'],
    ['resolved', after, 'resolved'],
  ] as const)('%s at %d is %s', (state, now, expected) => {
    expect(incidentAt({ ...activity, state }, now).state).toBe(expected);
  });

  it('returns the same object while the state is unchanged', () => {
    const incident = { ...activity, state: 'open' as const };
    expect(incidentAt(incident, justBefore)).toBe(incident);
  });
});

describe('sessionAt', () => {
  const session = (state: 'live' | 'quiet' | 'ended' | 'idle', open: number, quiet: number) => ({
    ...activity,
    state,
    incidents: { open, quiet },
  });
  it.each([
    ['live', justBefore, 'live', 2, 0],
    ['live', after, 'quiet', 0, 2],
    ['quiet', justBefore, 'live', 2, 0],
    ['ended', justBefore, 'ended', 0, 2],
    ['idle', justBefore, 'idle', 0, 2],
  ] as const)('%s at %d is %s, with %d open and %d quiet incidents', (state, now, expected, open, quiet) => {
    const before = state === 'live' ? session(state, 2, 0) : session(state, 0, 2);
    expect(sessionAt(before, now)).toEqual(session(expected, open, quiet));
    expect(sessionAt(before, now) === before).toBe(expected === state);
  });
});
