import { readJson } from '@loopwatch/contract';
import type { z } from 'zod';
import { badRequest } from './problem.ts';

/** Where a list goes on, in a text that clients hand back as it is. */
export function encodeCursor(place: unknown): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/**
 * @param detail what to pass instead
 * @throws HttpProblem 400 when it is none of ours
 */
export function decodeCursor<T>(parameter: string, cursor: string, schema: z.ZodType<T>, detail: string): T {
  const read = readJson(Buffer.from(cursor, 'base64url').toString('utf8'), schema);
  if (read.ok) return read.value;
  throw badRequest({ parameter, detail });
}
