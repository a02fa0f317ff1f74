import { z } from 'zod';
import { HttpProblem } from './problem.ts';

/** A page of a list; `nextCursor` is null on the last one. */
export interface Page<Item> {
  readonly items: Item[];
  readonly nextCursor: string | null;
}

export function pageSchema<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), nextCursor: z.string().nullable() });
}

/**
 * Cuts a page out of a sorted list.
 *
 * @param position what a cursor remembers of the last item of a page
 * @param isAfter whether an item comes after that position: true for ever once it is true
 */
export function page<Item, Position>(
  items: readonly Item[],
  { limit, after }: { limit: number; after: Position | undefined },
  position: (item: Item) => Position,
  isAfter: (item: Item, position: Position) => boolean,
): Page<Item> {
  const rest = after === undefined ? items : items.filter((item) => isAfter(item, after));
  const cut = rest.slice(0, limit);
  const last = cut.at(-1);
  const more = rest.length > cut.length && last !== undefined;
  return { items: cut, nextCursor: more ? encodeCursor(position(last)) : null };
}

function encodeCursor(position: unknown): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/** The position in a cursor of ours; anything else is a bad parameter. */
export function decodeCursor<Position>(
  cursor: string | undefined,
  schema: z.ZodType<Position>,
): Position | undefined {
  if (cursor === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
  } catch {
    throw new HttpProblem(400, 'cursor: pass the nextCursor of an earlier answer of the same list', {
      errors: [{ parameter: 'cursor', detail: 'not a nextCursor of this list' }],
    });
  }
}
