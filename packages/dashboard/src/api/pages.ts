import type { Page } from '@loopwatch/contract/api';

const LIMIT = 200;

/**
 * Loads all pages of a list.
 *
 * @param read loads the page at a cursor
 * @param onPage called after each page with the number of items so far
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
