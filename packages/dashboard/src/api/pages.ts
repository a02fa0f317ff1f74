import type { Page } from '@loopwatch/contract/api';

const LIMIT = 200;

/**
 * Every item of a list, page after page.
 *
 * @param read reads the page of a cursor
 * @param onPage told after each page how many were read
 */
export async function allPages<Item>(
  read: (page: { readonly limit: number; readonly cursor: string | undefined }) => Promise<Page<Item>>,
  onPage: (read: number) => void,
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await read({ limit: LIMIT, cursor });
    items.push(...page.items);
    onPage(items.length);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return items;
}
