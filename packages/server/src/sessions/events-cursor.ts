import * as z from 'zod';
import { decodeCursor, encodeCursor } from '../http/cursor.ts';
import type { NumberingState } from './number-events.ts';

const index = z.int().nonnegative().nullable();

/** Maximum ids in a cursor, which has to fit into a URL. */
const MAX_KNOWN_IDS = 64;

/** The next offset, its index, and the latest ids to detect duplicates. */
const afterSchema = z.object({
  next: z.int().nonnegative(),
  index,
  known: z.array(z.string().max(6)).max(MAX_KNOWN_IDS),
});
/** The offset where the previous page ends, and the index of the event there. */
const beforeSchema = z.object({ end: z.int().nonnegative(), index });

export type AfterCursor = z.infer<typeof afterSchema>;
export type BeforeCursor = z.infer<typeof beforeSchema>;

export function encodeAfter({ next, index, known }: NumberingState & { readonly next: number }): string {
  return encodeCursor({ next, index, known: known.slice(-MAX_KNOWN_IDS) } satisfies AfterCursor);
}

/** @throws HttpProblem 400 for an invalid cursor */
export function decodeAfter(cursor: string): AfterCursor {
  return decode('after', cursor, afterSchema);
}

/** @throws HttpProblem 400 for an invalid cursor */
export function decodeBefore(cursor: string): BeforeCursor {
  return decode('before', cursor, beforeSchema);
}

function decode<T>(parameter: string, cursor: string, schema: z.ZodType<T>): T {
  return decodeCursor(
    parameter,
    cursor,
    schema,
    `pass the \`${parameter}\` of a previous response for the same session`,
  );
}
