import { readJson } from '@loopwatch/contract';
import type * as z from 'zod';
import { badRequest } from './problem.ts';

/** The position in a list as an opaque string. */
export function encodeCursor(position: unknown): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/**
 * @param detail what the client should pass
 * @throws HttpProblem 400 for an invalid cursor
 */
export function decodeCursor<T>(parameter: string, cursor: string, schema: z.ZodType<T>, detail: string): T {
  const read = readJson(Buffer.from(cursor, 'base64url').toString('utf8'), schema);
  if (read.ok) return read.value;
  throw badRequest({ parameter, detail });
}
