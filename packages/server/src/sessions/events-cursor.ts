import { z } from 'zod';
import { decodeCursor, encodeCursor } from '../http/cursor.ts';
import type { NumberingState } from './number-events.ts';

const index = z.int().nonnegative().nullable();

/** Ids that a cursor carries: it has to fit into an address. */
const MAX_KNOWN_IDS = 64;

/** Where to go on: the next offset, its index, and what tells duplicates of the latest events. */
const afterSchema = z.object({
  next: z.int().nonnegative(),
  index,
  known: z.array(z.string().max(6)).max(MAX_KNOWN_IDS),
});
/** What the events of a page stand before: an offset, and the index of the event there. */
const beforeSchema = z.object({ end: z.int().nonnegative(), index });

export type AfterCursor = z.infer<typeof afterSchema>;
export type BeforeCursor = z.infer<typeof beforeSchema>;

export function encodeAfter({ next, index, known }: NumberingState & { readonly next: number }): string {
  return encodeCursor({ next, index, known: known.slice(-MAX_KNOWN_IDS) } satisfies AfterCursor);
}

/** @throws HttpProblem 400 when it is none of ours */
export function decodeAfter(cursor: string): AfterCursor {
  return decode('after', cursor, afterSchema);
}

/** @throws HttpProblem 400 when it is none of ours */
export function decodeBefore(cursor: string): BeforeCursor {
  return decode('before', cursor, beforeSchema);
}

function decode<T>(parameter: string, cursor: string, schema: z.ZodType<T>): T {
  return decodeCursor(
    parameter,
    cursor,
    schema,
    `pass the \`${parameter}\` of an earlier answer of the same session`,
  );
}
