import { z } from 'zod';
import { HttpProblem } from '../http/problem.ts';

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

export function encodeCursor(cursor: AfterCursor | BeforeCursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
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
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
  } catch (error) {
    const detail = `pass the \`${parameter}\` of an earlier answer of the same session`;
    throw new HttpProblem(400, `${parameter}: ${detail}`, { errors: [{ parameter, detail }] }, error);
  }
}
