import { describe, expect, it } from 'vitest';
import { letters, type ShortStep, said, turns } from '../steps.ts';

describe('tool-cycle', () => {
  it.each([
    { sequence: 'ABABAB', period: 2 },
    { sequence: 'ABCABCABC', period: 3 },
    { sequence: 'AABAABAAB', period: 3 },
    { sequence: 'AABBAABBAABB', period: 4 },
    { sequence: 'ABCDABCDABCD', period: 4 },
    { sequence: 'ABCDEABCDEABCDE', period: 5 },
    { sequence: 'ABCDEFABCDEFABCDEF', period: 6 },
    { sequence: 'XYZABABAB', period: 2 },
  ])('opens in $sequence with period $period', ({ sequence, period }) => {
    expect(said(turns(...letters(sequence)))).toEqual([
      `tool-cycle opened chance 3 period ${String(period)}`,
    ]);
    expect(said(turns(...letters(sequence.slice(0, -1))))).toEqual([]);
  });

  it.each([2, 3, 4, 5, 6, 7, 8])('finds period %i, and keeps one incident for it', (period) => {
    const cycle = 'ABCDEFGH'.slice(0, period);
    const lines = said(turns(...letters(cycle.repeat(6))));
    expect(lines).toEqual([
      `tool-cycle opened chance 3 period ${String(period)}`,
      `tool-cycle escalated block 3 period ${String(period)}`,
      `tool-cycle escalated block 6 period ${String(period)}`,
    ]);
  });

  it.each(['ABAB', 'AABB', 'ABCABC', 'ABCABDABE', 'ABACAD', 'ABABCABAB', 'ABCDEFGHIABCDEFGHI', 'ABBAAB'])(
    'is silent in %s',
    (sequence) => {
      expect(said(turns(...letters(sequence)), { stagnation: { enabled: false } })).toEqual([]);
    },
  );

  it('is broken by a new result anywhere in the cycle', () => {
    const round = (n: number): ShortStep[] => [
      ['edit', 'ok'],
      ['test', `${n} tests of 30 have failed`],
    ];
    expect(said(turns(...[9, 8, 7, 6, 5, 4, 3].flatMap(round)))).toEqual([]);
  });

  it('works without results', () => {
    expect(said(turns('a', 'b', 'a', 'b', 'a', 'b', 'c'))).toEqual(['tool-cycle opened chance 3 period 2']);
  });

  it('leaves identical steps to tool-repeat', () => {
    expect(said(turns(...letters('AAAAAA'))).filter((line) => line.startsWith('tool-cycle'))).toEqual([]);
  });

  it('leaves them to tool-repeat if their results differ in tokens that look random', () => {
    const builds = Array.from(
      { length: 20 },
      (_, i): ShortStep => [
        'exec_command',
        `#8 npm error code EUSAGE\n#8 ERROR: the process did not complete\nView build details: docker-desktop://dashboard/build/${(0x9e3779b97f * (i + 1)).toString(36)}`,
        { cmd: 'docker build .' },
      ],
    );
    expect(said(turns(...builds)).filter((line) => line.includes(' opened '))).toEqual([
      'tool-repeat opened chance 6',
    ]);
  });

  it('recovers, and reopens', () => {
    const off = { stagnation: { enabled: false } };
    expect(said(turns(...letters('ABABABCBABABA')), off)).toEqual([
      'tool-cycle opened chance 3 period 2',
      'tool-cycle resolved recovered 3 period 2',
      'tool-cycle opened chance 3 period 2',
    ]);
  });

  it('takes thresholds and mode from the settings', () => {
    const events = turns(...letters('ABABAB'));
    expect(said(events, { tool_cycle: { min_repeats: 2, mode: 'block' } })[0]).toBe(
      'tool-cycle opened block 2 period 2',
    );
    expect(said(events, { tool_cycle: { enabled: false } })).toEqual([]);
    expect(
      said(turns(...letters('ABCABCABC')), { tool_cycle: { max_period: 2 }, stagnation: { enabled: false } }),
    ).toEqual([]);
  });

  it('can be enabled in a preset without it', () => {
    const events = turns(...letters('ABABAB'));
    expect(said(events, { preset: 'stream' })).toEqual([]);
    expect(said(events, { preset: 'stream', tool_cycle: { enabled: true } })).toEqual([
      'tool-cycle opened block 3 period 2',
    ]);
  });
});
