import { describe, expect, it } from 'vitest';
import { type ShortStep, said, turns } from '../steps.ts';

const hits = [
  'src/a.ts:3: login()',
  'src/b.ts:9: login(1)',
  'src/c/d.ts:1: import login',
  `README.md:4: login ${'with a name and a password '.repeat(20)}`,
];
/** Another order for each of the steps. */
const orders = [
  [0, 1, 2, 3],
  [2, 0, 3, 1],
  [3, 2, 1, 0],
  [1, 3, 0, 2],
].map((order) => order.map((i) => hits[i] ?? '').join('\n'));
const steps = (name: string, args: Record<string, unknown>, of = (lines: string): unknown => lines) =>
  turns(...[...orders, ...orders].map((lines): ShortStep => [name, of(lines), args]));

describe('a search that prints its matches in another order each time is a loop:', () => {
  it.each([
    ['ripgrep', steps('bash', { command: 'cd /w && rg -n login' })],
    ['grep in folders', steps('bash', { command: 'grep -n -rI login src | head -50' })],
    ['find', steps('exec', { command: ['bash', '-lc', "find . -name '*.ts'"] })],
    ['a tool that greps', steps('Grep', { pattern: 'login' })],
    ['a tool of MCP', steps('mcp__fs__search_files', {}, (text) => [{ type: 'text', text }])],
  ])('%s', (_, events) => {
    expect(said(events)[0]).toBe('tool-repeat opened chance 3');
  });

  it.each([
    ['a list by time', steps('bash', { command: 'ls -t out' })],
    ['a ranking', steps('get_leaderboard', {})],
    ['a log that is searched', steps('bash', { command: 'grep login app.log' })],
  ])('but not %s, whose order is the answer', (_, events) => {
    expect(said(events)[0]).not.toBe('tool-repeat opened chance 3');
  });
});
