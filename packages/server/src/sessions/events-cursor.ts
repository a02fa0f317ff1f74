import { z } from 'zod';
import { decodeCursor } from '../http/cursor.ts';

const index = z.int().nonnegative().nullable();

/** Where to go on: the next offset, its index, and what tells duplicates. */
const afterSchema = z.object({
  next: z.int().nonnegative(),
  index,
  recent: z.array(z.string().max(6)).max(64),
});
/** What the events of a page stand before: an offset, and the index of the event there. */
const beforeSchema = z.object({ end: z.int().nonnegative(), index });

export type AfterCursor = z.infer<typeof afterSchema>;
export type BeforeCursor = z.infer<typeof beforeSchema>;

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
