import { z } from 'zod';

/** A page of a list. Lists are read on by handing `nextCursor` back as `cursor`, with the same filters and sort. */
export function pageSchema<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    nextCursor: z.string().nullable().describe('null on the last page.'),
    total: z.int().nonnegative().describe('Items of all pages, as of this answer.'),
  });
}

export interface Page<Item> {
  readonly items: Item[];
  readonly nextCursor: string | null;
  readonly total: number;
}
