import type { Mode } from '@loopwatch/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Mark } from '../../src/calls/mark.ts';
import type { IncidentSnapshot } from '../../src/incident/finding.ts';
import { Incident } from '../../src/incident/incident.ts';

const since: Mark = {
  eventIndex: 0,
  eventId: '#0',
  time: 0,
  position: -1,
  turns: 0,
  calls: 0,
  characters: 0,
  tokens: 0,
  usageReports: 0,
  cachedTokens: 0,
  usd: 0,
  unpricedReports: 0,
};

/** The counts that are news, with the phase and the action. */
function news(mode: Mode, threshold: number, counts: readonly number[]): string[] {
  let incident = new Incident<'tool-repeat'>(mode, threshold, since);
  return counts.flatMap((count) => {
    const phase = incident.repeat(count);
    incident = Incident.restore(JSON.parse(JSON.stringify(incident.snapshot())) as IncidentSnapshot);
    return phase === undefined ? [] : [`${String(count)} ${phase} ${incident.action}`];
  });
}

describe('incident phases', () => {
  const upTo = (last: number, first: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
  test.each([
    [
      'block',
      5,
      upTo(45, 5),
      ['5 opened block', '10 escalated block', '20 escalated block', '40 escalated block'],
    ],
    ['warn', 3, upTo(13, 3), ['3 opened warn', '6 escalated warn', '12 escalated warn']],
    ['chance_then_block', 5, upTo(10, 5), ['5 opened chance', '6 escalated block', '10 escalated block']],
    ['block', 5, [7, 9, 11, 41, 42], ['7 opened block', '11 escalated block', '41 escalated block']],
    ['block', 5, [5, 4, 5, 10, 9, 10], ['5 opened block', '10 escalated block']],
    ['chance_then_block', 2, [2, 2], ['2 opened chance', '2 escalated block']],
  ] as const)('mode %s, threshold %i', (mode, threshold, counts, expected) => {
    expect(news(mode, threshold, counts)).toEqual(expected);
  });

  test('escalate at most once per doubling', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 20 }), fc.integer({ min: 1, max: 3000 }), (threshold, steps) => {
        const counts = upTo(threshold + steps, threshold);
        const doublings = Math.floor(Math.log2((threshold + steps) / threshold) + 1e-9);
        expect(news('block', threshold, counts)).toHaveLength(1 + doublings);
      }),
      { seed: 70, numRuns: 100 },
    );
  });
});
