import { expect, it } from 'vitest';
import type { ShellBlock } from './shell-blocks.ts';

/** Runs a block and checks its effects. */
export type Check = (commands: string) => Promise<void>;

/** Declares the tests of a page's blocks: each block has a check, by its title, and runs as documented. */
export function testBlocks(checks: Readonly<Record<string, Check>>, blocks: readonly ShellBlock[]): void {
  it('documented commands: all are tested, at most five per block', () => {
    expect(Object.keys(checks)).toEqual(blocks.map(({ title }) => title));
    const lines = blocks.map(({ commands }) => commands.trim().split('\n').length);
    expect(Math.max(...lines)).toBeLessThanOrEqual(5);
  });

  it.each(blocks)('$title: the commands work as documented', async ({ title, commands }) => {
    const check = checks[title];
    if (check === undefined) throw new Error(`no test runs the block ${title}`);
    await check(commands);
  });
}
