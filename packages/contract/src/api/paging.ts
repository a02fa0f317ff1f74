import * as z from 'zod';

/** A page of a list. Pass `nextCursor` as `cursor`, with the same filters and sort, to get the next page. */
export function pageSchema<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    nextCursor: z.string().nullable().describe('null on the last page.'),
    total: z.int().nonnegative().describe('Number of items on all pages, at the time of this response.'),
    totalIsLowerBound: z
      .literal(true)
      .optional()
      .describe(
        'Present if there are more items than total: those of a filtered list are counted up to 10,000.',
      ),
  });
}

export interface Page<Item> {
  readonly items: Item[];
  readonly nextCursor: string | null;
  readonly total: number;
  readonly totalIsLowerBound?: true | undefined;
}
