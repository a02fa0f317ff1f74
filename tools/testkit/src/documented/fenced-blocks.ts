import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../..', import.meta.url));

/** A fenced block of a page. */
export interface FencedBlock {
  /** Path from the repository's root. */
  readonly page: string;
  /** Number of the line of the fence, from 1. */
  readonly line: number;
  /** First word after the fence; empty if there is none. */
  readonly language: string;
  /** The rest of that line. */
  readonly info: string;
  /** Heading of the section (`##`) that contains the block; empty before the first one. */
  readonly section: string;
  /** The section, or the page's title before the first one. The second block of its language there has ` (2)` behind it. */
  readonly title: string;
  readonly text: string;
}

const fence = /^( *)(`{3,}|~{3,})\s*(\S*) ?(.*)$/;
const heading = /^(#{1,2}) (.*)$/;

/**
 * The blocks of a page, in its order.
 *
 * @throws Error when a block has no end
 */
export function fencedBlocks(page: string, text = readFileSync(`${root}${page}`, 'utf8')): FencedBlock[] {
  const blocks: FencedBlock[] = [];
  const lines = text.split('\n');
  let [name, section] = [page, ''];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const [, level, headed = ''] = heading.exec(line) ?? [];
    if (level === '##') section = headed;
    else if (level === '#') name = headed;
    const [, indent = '', mark, language = '', info = ''] = fence.exec(line) ?? [];
    if (mark === undefined) continue;
    const end = lines.indexOf(`${indent}${mark}`, at + 1);
    if (end === -1) throw new Error(`${page}:${String(at + 1)}: the block has no end`);
    const title = section === '' ? name : section;
    const before = blocks.filter((block) => block.language === language && block.section === section).length;
    blocks.push({
      page,
      line: at + 1,
      language,
      info,
      section,
      title: before === 0 ? title : `${title} (${String(before + 1)})`,
      text: lines
        .slice(at + 1, end)
        .map((one) => `${one.slice(indent.length)}\n`)
        .join(''),
    });
    at = end;
  }
  return blocks;
}
