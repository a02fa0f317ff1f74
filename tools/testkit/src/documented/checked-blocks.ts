import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FencedBlock, fencedBlocks, root } from './fenced-blocks.ts';
import { type Checked, pageChecks } from './page-checks.ts';

/** What checks a block; undefined if nothing does. The check of a title or section precedes that of a language. */
export function checkOf({ page, language, title, section }: FencedBlock): Checked | undefined {
  const checks = pageChecks[page] ?? {};
  return checks[`${language} / ${title}`] ?? checks[`${language} / ${section}`] ?? checks[language];
}

/**
 * The blocks that a test checks, of one page or all.
 *
 * @param test the test's own `import.meta.url`
 * @throws Error when there are none
 */
export function blocksCheckedBy(test: string, page?: string): FencedBlock[] {
  const path = relative(root, fileURLToPath(test));
  const pages = page === undefined ? Object.keys(pageChecks) : [page];
  const blocks = pages.flatMap((one) => fencedBlocks(one)).filter((block) => checkOf(block)?.by === path);
  if (blocks.length === 0) throw new Error(`${path} checks no block of ${page ?? 'any page'}`);
  return blocks;
}
