import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  checkOf,
  documentedPages,
  type FencedBlock,
  fencedBlocks,
  pageChecks,
  root,
} from '../../src/documented/index.ts';

const blocks = documentedPages().flatMap((page) => fencedBlocks(page));

/** `page:line language` of the blocks that no test checks. */
const unchecked = (all: readonly FencedBlock[]): string[] =>
  all
    .filter((block) => checkOf(block) === undefined)
    .map(({ page, line, language }) => `${page}:${String(line)} ${language}`);

describe('blocks of the documentation', () => {
  it('blocks: each is checked by a test', () => {
    expect(blocks.length).toBeGreaterThan(200);
    expect(unchecked(blocks)).toEqual([]);
  });

  it('blocks: an unchecked language or page would be reported', () => {
    const text = '# Page\n\n```rb\nputs 1\n```\n\n- in a list\n\n  ~~~sh\n  true\n  ~~~\n';
    expect(unchecked(fencedBlocks('docs/start.md', text))).toEqual(['docs/start.md:3 rb']);
    expect(unchecked(fencedBlocks('docs/new.md', text))).toEqual(['docs/new.md:3 rb', 'docs/new.md:9 sh']);
    expect(() => fencedBlocks('docs/new.md', '```sh\ntrue\n')).toThrow('docs/new.md:1: the block has no end');
  });

  it('checks: each has a block', () => {
    const used = new Set(blocks.map(checkOf));
    const unused = Object.entries(pageChecks).flatMap(([page, checks]) =>
      Object.entries(checks)
        .filter(([, check]) => !blocks.some((block) => block.page === page && checkOf(block) === check))
        .map(([key]) => `${page}: ${key}`),
    );
    expect(used.size).toBeGreaterThan(20);
    expect(unused).toEqual([]);
  });

  const tests = Object.entries(pageChecks).flatMap(([page, checks]) =>
    [...new Set(Object.values(checks).map(({ by }) => by))].map((by) => ({ page, by })),
  );
  it.each(tests)('$by: checks the blocks of $page', ({ page, by }) => {
    const source = readFileSync(join(root, by), 'utf8');
    expect(/(?:blocksCheckedBy|shellBlocks)\(import\.meta\.url/.test(source)).toBe(true);
    const takesAll = source.includes('blocksCheckedBy(import.meta.url)');
    const named = [page, `${dirname(page)}/\${id}.md`];
    expect(takesAll || named.some((text) => source.includes(text))).toBe(true);
  });
});
