import type { AgentEvent } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { call } from '../../sessions.ts';
import { type ShortStep, said, turns } from '../../steps.ts';

describe('stagnation', () => {
  it('same-failure: opens at the fourth failure between steps that change nothing, and escalates at the next', () => {
    const round = (n: number): ShortStep[] => [
      ['test', 'Error: expected 100, received 99'],
      ['read', `file number ${n} holds ${n * 7} lines`, { n }],
    ];
    const rounds = [1, 2, 3, 4, 5].flatMap(round);
    expect(said(turns(...rounds))).toEqual([
      'stagnation/same-failure opened chance 4',
      'stagnation/same-failure escalated block 5',
    ]);
    const cured: ShortStep = ['test', 'all of the 30 tests passed'];
    expect(said(turns(...rounds.slice(0, 8), cured)).at(-1)).toBe(
      'stagnation/same-failure resolved recovered 4',
    );
    const edited: ShortStep = ['edit', 'ok', { line: 9 }];
    expect(said(turns(...rounds.slice(0, 8), edited)).at(-1)).toBe(
      'stagnation/same-failure resolved recovered 4',
    );
  });

  it.each<
    [string, (n: number) => readonly [name: string, result: unknown, args: Record<string, unknown>], string[]]
  >([
    [
      'a look that succeeds',
      (n) => ['read', `file number ${n} holds ${n * 7} lines`, { n }],
      ['stagnation/same-failure opened chance 4', 'stagnation/same-failure escalated block 5'],
    ],
    [
      'a look that fails in another way',
      (n) => ['read', `Error: no such file: part-${n * 7919}`, { n }],
      ['stagnation/same-failure opened chance 4', 'stagnation/same-failure escalated block 5'],
    ],
    ['a change', (n) => ['write_file', 'ok', { n }], []],
  ])('same-failure: counts a call that fails beside %s', (_, other, expected) => {
    const step = (n: number): AgentEvent[] => {
      const [name, result, args] = other(n);
      return [
        { type: 'turn_started' },
        { ...call('load', { path: '/srv/app/conf.yaml' }), callId: `a${String(n)}` },
        { ...call(name, args), callId: `b${String(n)}` },
        { type: 'tool_result', callId: `b${String(n)}`, result },
        { type: 'tool_result', callId: `a${String(n)}`, result: 'Error: permission denied' },
      ];
    };
    expect(said([1, 2, 3, 4, 5].flatMap(step))).toEqual(expected);
  });

  it('same-failure: has three times the patience with a call that waits', () => {
    const round = (n: number): ShortStep[] => [
      ['bash', 'Error: connection refused', { command: 'sleep 5 && curl -s localhost:8080/health' }],
      ['read', `file number ${n} holds ${n * 7} lines`, { n }],
    ];
    const rounds = Array.from({ length: 12 }, (_, n) => round(n)).flat();
    expect(said(turns(...rounds.slice(0, -2)))).toEqual([]);
    expect(said(turns(...rounds))).toEqual(['stagnation/same-failure opened chance 12']);
  });

  it('same-failure: recovers after eight other steps', () => {
    const round = (n: number): ShortStep[] => [
      ['test', 'Error: expected 100'],
      ['read', `line ${n}`, { n }],
    ];
    const others = Array.from({ length: 9 }, (_, n): ShortStep => ['look', `at ${n + 50}`, { n }]);
    const rounds = [1, 2, 3, 4].flatMap(round);
    expect(said(turns(...rounds, ...others.slice(0, 7)))).toEqual([
      'stagnation/same-failure opened chance 4',
    ]);
    expect(said(turns(...rounds, ...others))).toEqual([
      'stagnation/same-failure opened chance 4',
      'stagnation/same-failure resolved recovered 4',
    ]);
  });

  it('same-failure: is silent if something was changed in between', () => {
    const round = (n: number): ShortStep[] => [
      ['test', 'Error: expected 100'],
      ['write_file', 'ok', { n }],
    ];
    expect(said(turns(...[1, 2, 3, 4, 5, 6].flatMap(round)))).toEqual([]);
    const declared = [1, 2, 3, 4, 5].flatMap((n): ShortStep[] => [
      ['test', 'Error: no'],
      ['tune', `to ${n}`, { n }],
    ]);
    expect(said(turns(...declared))).not.toEqual([]);
    expect(said(turns(...declared), { per_tool: { tune: { mutating: true } } })).toEqual([]);
  });

  it('same-failure: takes no keeping of a plan for a change', () => {
    const plan = (item: string): ShortStep => ['write_todo_list', 'Saved', { item }];
    const round = (n: number): ShortStep[] => [
      ['test', 'Error: expected 100'],
      ...['read', 'mend'].map((item) => plan(`${item} ${n}`)),
    ];
    expect(said(turns(...[1, 2, 3, 4].flatMap(round)))).toEqual(['stagnation/same-failure opened chance 4']);
  });

  it('same-failure: assumes that shell commands change something unless they are read-only', () => {
    const round = (command: (n: number) => string): ShortStep[] =>
      [1, 2, 3, 4].flatMap((n): ShortStep[] => [
        ['bash', 'Error: expected 100', { command: 'npm test' }],
        ['bash', `line ${n} of it`, { command: command(n) }],
      ]);
    expect(said(turns(...round((n) => `sed -n ${n}p total.ts`)))).toEqual([
      'stagnation/same-failure opened chance 4',
    ]);
    expect(said(turns(...round((n) => `sed -i ${n}d total.ts`)))).toEqual([]);
    const edits = turns(...round((n) => `python3 fix.py ${n}`));
    expect(said(edits)).toEqual([]);
    expect(said(edits, { per_tool: { bash: { mutating: false } } })).not.toEqual([]);
  });
});
