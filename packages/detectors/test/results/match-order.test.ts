import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inFixedOrder } from '../../src/results/match-order.ts';
import { type ShortStep, said, turns } from '../steps.ts';

const hits = [
  'src/a.ts:3: login()',
  'src/b.ts:9: login(1)',
  'src/c/d.ts:1: import login',
  'README.md:4: login',
];
/** Another order for each of the steps. */
const orders = [
  [0, 1, 2, 3],
  [2, 0, 3, 1],
  [3, 2, 1, 0],
  [1, 3, 0, 2],
].map((order) => order.map((i) => hits[i] ?? ''));
const steps = (name: string, args: Record<string, unknown>, result: (lines: readonly string[]) => unknown) =>
  turns(...[...orders, ...orders].map((lines): ShortStep => [name, result(lines), args]));
const asLines = (lines: readonly string[]) => lines.join('\n');

describe('a search that prints its matches in another order each time is a loop:', () => {
  it.each([
    ['ripgrep', steps('bash', { command: 'cd /w && rg -n login' }, asLines)],
    ['grep in folders', steps('bash', { command: 'grep -n -rI login src | head -50' }, asLines)],
    ['find', steps('exec', { command: ['bash', '-lc', "find . -name '*.ts'"] }, asLines)],
    ['a tool that greps', steps('Grep', { pattern: 'login' }, asLines)],
    ['names in JSON', steps('glob', { pattern: '**/*' }, (filenames) => ({ filenames, truncated: false }))],
    [
      'a tool of MCP',
      steps('mcp__fs__search_files', {}, (lines) => [{ type: 'text', text: asLines(lines) }]),
    ],
  ])('%s', (_, events) => {
    expect(said(events)[0]).toBe('tool-repeat opened chance 3');
  });

  it.each([
    ['a list by time', steps('bash', { command: 'ls -t out' }, asLines)],
    ['a ranking', steps('get_leaderboard', {}, asLines)],
    ['a log that is searched', steps('bash', { command: 'grep login app.log' }, asLines)],
  ])('but not %s, whose order is the answer', (_, events) => {
    expect(said(events)[0]).not.toBe('tool-repeat opened chance 3');
  });
});

describe('the fixed order', () => {
  it('is the same for each order of the lines', () => {
    const lines = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', ':', ' ') }), { minLength: 2 });
    fc.assert(
      fc.property(
        lines.chain((given) =>
          fc.tuple(fc.constant(given), fc.shuffledSubarray(given, { minLength: given.length })),
        ),
        ([given, shuffled]) => {
          expect(inFixedOrder(shuffled.join('\n'))).toBe(inFixedOrder(given.join('\n')));
          expect(inFixedOrder({ files: shuffled })).toEqual(inFixedOrder({ files: given }));
        },
      ),
    );
  });

  it('keeps lists of records, and what is nested deep', () => {
    const records = [{ at: 2 }, { at: 1 }];
    expect(inFixedOrder(records)).toEqual(records);
    const deep = JSON.parse(`${'['.repeat(2_000)}"b\\na"${']'.repeat(2_000)}`) as unknown;
    expect(inFixedOrder(deep)).toEqual(deep);
  });
});
