import { messageOf } from '@loopwatch/contract';
import type { LogRecord } from '@loopwatch/log';
import type { z } from 'zod';

/** What a record says, or what is wrong with it in a text. */
export type ReadRecord<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly why: string };

/** @param record with a value */
export function readJson<T>({ value }: LogRecord, schema: z.ZodType<T>): ReadRecord<T> {
  let json: unknown;
  try {
    json = JSON.parse(value?.toString('utf8') ?? '');
  } catch (error) {
    return { ok: false, why: messageOf(error) };
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return { ok: true, value: parsed.data };
  const why = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  return { ok: false, why };
}
