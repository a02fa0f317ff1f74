import { blocksCheckedBy, type FencedBlock } from '@loopwatch/testkit/documented';
import { expect, it } from 'vitest';

/** Runs a block and checks its effects. */
export type Check = (commands: string) => Promise<void>;

/** A check that pages share: the same commands run once. */
export function once(check: Check): Check {
  const runs = new Map<string, Promise<void>>();
  return (commands) => {
    const run = runs.get(commands) ?? check(commands);
    runs.set(commands, run);
    return run;
  };
}

/** The blocks of shell that a test checks on a page. @param test the test's own `import.meta.url` */
export function shellBlocks(test: string, page: string): FencedBlock[] {
  return blocksCheckedBy(test, page).filter(({ language }) => language === 'sh');
}

/** Declares the tests of a page's blocks: each block has a check, by its title, and runs as documented. */
export function testBlocks(checks: Readonly<Record<string, Check>>, blocks: readonly FencedBlock[]): void {
  it('documented commands: all are tested, at most six lines per block', () => {
    expect(Object.keys(checks)).toEqual(blocks.map(({ title }) => title));
    const lines = blocks.map(({ text }) => text.trim().split('\n').length);
    expect(Math.max(...lines)).toBeLessThanOrEqual(6);
  });

  it.each(blocks)('$title: the commands work as documented', async ({ title, text }) => {
    const check = checks[title];
    if (check === undefined) throw new Error(`no test runs the block ${title}`);
    await check(text);
  });
}
